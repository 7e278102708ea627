#!/usr/bin/env bash
# Runs all checks of the kinds, the chart and the overlay that need neither a cluster nor a network. All steps run;
# exits with 1 if one fails.
set -uo pipefail
cd "$(dirname "$0")/../.."
node=node_modules/.bin/node
tool() { "$node" packages/chart-tools/src/main/tool.ts "$@"; }
HELM_BIN="${HELM_BIN:-$(tool helm 4)}"
HELM3_BIN="${HELM3_BIN:-$(tool helm 3)}"
KUBECTL_BIN="${KUBECTL_BIN:-$(tool kubectl 1.36)}"
export HELM_BIN KUBECTL_BIN
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failed=0

step() {
  local name="$1"
  shift
  if "$@" >"$work/output" 2>&1; then
    echo "ok      $name"
  else
    failed=1
    echo "FAILED  $name"
    sed 's/^/        /' "$work/output"
  fi
}

digest="sha256:$(printf '0%.0s' {1..64})"

profiles() {
  for file in charts/agents/ci/*-values.yaml charts/agents/values-*.yaml; do
    "$@" "$file" || return 1
  done
}

lint() { "$HELM_BIN" lint --strict charts/agents --values "$1" --set "image.digest=$digest" && "$HELM3_BIN" lint --strict charts/agents --values "$1" --set "image.digest=$digest"; }

render() {
  "$HELM_BIN" template agents charts/agents --namespace agents --values "$1" --set "image.digest=$digest" >"$work/$(basename "$1")" &&
    "$HELM3_BIN" template agents charts/agents --namespace agents --values "$1" --set "image.digest=$digest" >"$work/helm3" &&
    diff --ignore-blank-lines "$work/$(basename "$1")" "$work/helm3"
}

step "definitions, schema and pages are as declared" "$node" scripts/generate.ts --check
step "helm lint, each profile, Helm 3 and 4" profiles lint
step "helm template, each profile, Helm 3 and 4 agree" profiles render
step "rendered objects are what the API server takes" scripts/kubeconform.sh "$work"
step "examples and GitOps resources are what the API server takes" scripts/kubeconform.sh charts/agents/examples argocd
step "optional templates are off, and nothing breaks an upgrade or a rollback" "$node" packages/chart-tools/src/main/compat.ts
step "Argo CD can sync it safely" scripts/argo-lint.sh
exit "$failed"
