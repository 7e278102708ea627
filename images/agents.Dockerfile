# Images of agents: the image of the platform with one agent CLI. Build one with
#   docker build --file images/agents.Dockerfile --target codex --build-arg AGENTS_IMAGE=IMAGE --tag NAME images
# where IMAGE is the image of the platform (../Dockerfile), which has Node, git and agent-runner. The versions are those that the
# providers in charts/agents/examples are tested with.
ARG AGENTS_IMAGE
FROM $AGENTS_IMAGE AS agents
USER root
# The image sets HOME to /tmp, where npm would leave its cache.
ENV npm_config_cache=/var/cache/npm npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false

FROM agents AS codex
RUN npm install --global @openai/codex@0.166.0 && rm -rf /var/cache/npm
USER 65532:65532

FROM agents AS gemini-cli
RUN npm install --global @google/gemini-cli@0.61.0 && rm -rf /var/cache/npm
USER 65532:65532

# The packages of the next two contain a program for each platform. Their install scripts only copy it, so it is linked instead.
FROM agents AS claude-code
RUN npm install --global --ignore-scripts @anthropic-ai/claude-code@2.1.325 && rm -rf /var/cache/npm \
 && arch=$(node -p process.arch) && modules=$(npm root --global) \
 && ln -sf "$(find "$modules" -path "*/claude-code-linux-$arch/claude" -type f)" /usr/local/bin/claude
USER 65532:65532

FROM agents AS opencode
RUN npm install --global --ignore-scripts opencode-ai@1.18.33 && rm -rf /var/cache/npm \
 && arch=$(node -p process.arch) && modules=$(npm root --global) \
 && ln -sf "$(find "$modules" -path "*/opencode-linux-$arch/bin/opencode" -type f)" /usr/local/bin/opencode
USER 65532:65532
