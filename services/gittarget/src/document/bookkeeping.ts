import type { JsonMap } from './json.ts'

/**
 * Removes annotations and labels that tools and controllers set for their own use. In another cluster they would be
 * wrong.
 */
export function withoutBookkeeping(
  part: 'annotations' | 'labels',
  map: JsonMap,
): JsonMap | undefined {
  const { exact, prefixes } = part === 'annotations' ? annotations : labels
  const kept = Object.entries(map).filter(
    ([name]) => !exact.has(name) && !prefixes.some((prefix) => name.startsWith(prefix)),
  )
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

const annotations = {
  exact: new Set([
    'argocd.argoproj.io/installation-id',
    'argocd.argoproj.io/tracking-id',
    'control-plane.alpha.kubernetes.io/leader',
    'deprecated.daemonset.template.generation',
    'endpoints.kubernetes.io/last-change-trigger-time',
    'endpoints.kubernetes.io/over-capacity',
    'kcp.io/cluster',
    'kubectl.kubernetes.io/last-applied-configuration',
    'kubernetes.io/service-account.uid',
    'kustomize.toolkit.fluxcd.io/checksum',
    'volume.beta.kubernetes.io/storage-provisioner',
    'volume.kubernetes.io/selected-node',
    'volume.kubernetes.io/storage-provisioner',
  ]),
  prefixes: [
    'applyset.kubernetes.io/',
    'autoscaling.alpha.kubernetes.io/',
    'batch.kubernetes.io/',
    'deployment.kubernetes.io/',
    'pv.kubernetes.io/',
  ],
}

const labels = {
  // Set by the server on every namespace.
  exact: new Set(['kubernetes.io/metadata.name']),
  prefixes: [
    'applyset.kubernetes.io/',
    'helm.toolkit.fluxcd.io/',
    'kro.run/',
    'kustomize.toolkit.fluxcd.io/',
  ],
}
