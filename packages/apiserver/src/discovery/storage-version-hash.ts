import { createHash } from 'node:crypto'
import { parseApiVersion } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'

/** The opaque hash of a resource's storage version; `undefined` if it is not stored. */
export function storageVersionHash(resource: Resource): string | undefined {
  if (resource.storageVersionHash !== undefined) return resource.storageVersionHash
  // Exactly the stored resources can be watched.
  if (!resource.verbs.includes('watch')) return undefined
  const storageVersion = storageVersions[`${resource.plural}.${resource.group}`]
  const { group, version } =
    storageVersion === undefined ? resource : parseApiVersion(storageVersion)
  return createHash('sha256')
    .update(`${group}/${version}/${resource.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64')
}

/** Built-in resources whose storage version in upstream differs from the served version. */
const storageVersions: Readonly<Record<string, string>> = {
  'events.events.k8s.io': 'v1',
  'horizontalpodautoscalers.autoscaling': 'autoscaling/v2',
  'mutatingadmissionpolicies.admissionregistration.k8s.io': 'admissionregistration.k8s.io/v1beta1',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io':
    'admissionregistration.k8s.io/v1beta1',
}
