#!/usr/bin/env bash
# Checks the GitOps manifests for Argo CD: scripts/argo-lint.sh [folder]
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
node="$root/node_modules/.bin/node"
export KUBECTL_BIN="${KUBECTL_BIN:-$("$node" "$root/packages/chart-tools/src/main/tool.ts" kubectl 1.36)}"
export HELM_BIN="${HELM_BIN:-$("$node" "$root/packages/chart-tools/src/main/tool.ts" helm 4)}"
cd "$root"
exec "$node" scripts/argo-lint.ts "$@"
