#!/usr/bin/env bash
# Holds the GitOps side against what Argo CD will make of it: scripts/argo-lint.sh [folder]
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
node="$root/node_modules/.bin/node"
export KUBECTL_BIN="${KUBECTL_BIN:-$("$node" "$root/tests/chart/main/tool.ts" kubectl 1.36)}"
export HELM_BIN="${HELM_BIN:-$("$node" "$root/tests/chart/main/tool.ts" helm 4)}"
cd "$root"
exec "$node" scripts/argo-lint.ts "$@"
