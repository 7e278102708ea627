# One image for every process: control plane, controllers, gittarget, migrations, definitions and the runner. The chart says which by the command.
# It runs as a user who owns nothing, and writes only below /tmp and what is mounted.
ARG BASE_IMAGE=node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
# The files of the console. What builds them stays in this stage.
FROM $BASE_IMAGE AS console
WORKDIR /opt/agents
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages/client/ packages/client/
COPY apps/console/ apps/console/
RUN npm ci --ignore-scripts --no-audit --no-fund --workspace apps/console && node apps/console/src/main/build.ts

FROM $BASE_IMAGE AS base
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
# ssh refuses a user without a name. The last two are those of the containers that hold a repository's credential.
RUN for user in agents:65532 agents-publisher:65533 agents-publisher2:65531; do \
      name=${user%:*} id=${user#*:}; \
      echo "$name:x:$id:" >> /etc/group; \
      echo "$name:x:$id:$id::/tmp:/usr/sbin/nologin" >> /etc/passwd; \
    done
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
COPY --from=console /opt/agents/apps/console/dist/ apps/console/dist/
RUN for program in agent-runner:runner agent-checkout:checkout agent-publish:publish agent-memory:memory scripted-agent:scripted-agent; do \
      printf '#!/bin/sh\nexec node /opt/agents/services/jangar/src/main/%s.ts "$@"\n' "${program#*:}" > "/usr/local/bin/${program%:*}"; \
      chmod 0755 "/usr/local/bin/${program%:*}"; \
    done

ENV NODE_ENV=production HOME=/tmp NODE_COMPILE_CACHE=/opt/agents/.compiled JANGAR_API_CONSOLE_DIR=/opt/agents/apps/console/dist
# Every program once, as the user of the image: without settings it ends as soon as it is loaded. What that has compiled spares
# each start half a second, and 15 MiB for as long as the process lives, which the compiler would take.
RUN install -d -o 65532 -g 65532 .compiled \
 && for program in services/*/src/main/*.ts; do \
      KUBECONFIG=/nonexistent setpriv --reuid=65532 --regid=65532 --clear-groups node "$program" --help > /dev/null 2>&1 || true; \
    done \
 && chmod 0777 .compiled && for program in checkout publish; do \
      setpriv --reuid=65533 --regid=65533 --clear-groups node "services/jangar/src/main/$program.ts" > /dev/null 2>&1 || true; \
    done \
 && chown -R root:root .compiled && chmod -R a+rX .compiled && ls .compiled/*/* > /dev/null

# Reported by the control plane. Last, so that a new commit alone does not rebuild other layers.
ARG BUILD_SHA=""
ARG BUILD_TIME=""
ENV JANGAR_BUILD_SHA=$BUILD_SHA JANGAR_BUILD_TIME=$BUILD_TIME
USER 65532:65532
CMD ["node", "services/jangar/src/main/controllers.ts"]
