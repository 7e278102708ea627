# One image for every process: control plane, controllers, gittarget, migrations, definitions and the runner. The chart says which by the command.
# It runs as a user who owns nothing, and writes only below /tmp and what is mounted.
FROM node:26.10.0-trixie-slim AS base
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
# ssh refuses a user without a name.
RUN echo 'agents:x:65532:' >> /etc/group \
 && echo 'agents:x:65532:65532::/tmp:/usr/sbin/nologin' >> /etc/passwd
WORKDIR /opt/agents

# What is installed changes less often than what is written.
COPY package.json package-lock.json .npmrc ./
COPY packages/ packages/
COPY services/ services/
COPY charts/agents/crds/ charts/agents/crds/
# The local platform and what tests need stay out: optional packages are Node and PostgreSQL for a person's machine.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund \
      --workspace services/jangar --workspace services/gittarget \
 && npm cache clean --force
RUN printf '#!/bin/sh\nexec node /opt/agents/services/jangar/src/main/runner.ts "$@"\n' > /usr/local/bin/agent-runner \
 && printf '#!/bin/sh\nexec node /opt/agents/services/jangar/src/main/scripted-agent.ts "$@"\n' > /usr/local/bin/scripted-agent \
 && chmod 0755 /usr/local/bin/agent-runner /usr/local/bin/scripted-agent

ENV NODE_ENV=production HOME=/tmp NODE_COMPILE_CACHE=/opt/agents/.compiled
# Every program once, as the user of the image: without settings it ends as soon as it is loaded. What that has compiled spares
# each start half a second, and 15 MiB for as long as the process lives, which the compiler would take.
RUN install -d -o 65532 -g 65532 .compiled \
 && for program in services/*/src/main/*.ts; do \
      KUBECONFIG=/nonexistent setpriv --reuid=65532 --regid=65532 --clear-groups node "$program" --help > /dev/null 2>&1 || true; \
    done \
 && chown -R root:root .compiled && chmod -R a+rX .compiled && ls .compiled/*/* > /dev/null

# Told to who asks the control plane; last, so that a new commit alone builds nothing anew.
ARG BUILD_SHA=""
ARG BUILD_TIME=""
ENV JANGAR_BUILD_SHA=$BUILD_SHA JANGAR_BUILD_TIME=$BUILD_TIME
USER 65532:65532
CMD ["node", "services/jangar/src/main/controllers.ts"]
