/** The built-in group versions that the embedded API server serves. */
export const builtinGroupVersions: readonly string[] = [
  'v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'events.k8s.io/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'networking.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'storage.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'coordination.k8s.io/v1',
  'node.k8s.io/v1',
  'discovery.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
]

export function groupVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}

/** The path of a group version in the index of `/openapi/v3`. */
export function openApiPath(groupVersion: string): string {
  return groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`
}
