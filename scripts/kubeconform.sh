#!/usr/bin/env bash
# Validates manifests strictly and without network: scripts/kubeconform.sh [file, folder or -]…
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
node="$root/node_modules/.bin/node"
export KUBECTL_BIN="${KUBECTL_BIN:-$("$node" "$root/packages/chart-tools/src/main/tool.ts" kubectl 1.36)}"
exec "$node" "$root/scripts/kubeconform.ts" "$@"
