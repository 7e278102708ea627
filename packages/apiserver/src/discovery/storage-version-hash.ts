import { createHash } from 'node:crypto'
import { parseApiVersion } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'

/** Tells clients in which version a resource is stored without saying it; `undefined` for what is not stored. */
export function storageVersionHash(resource: Resource): string | undefined {
  if (resource.storageVersionHash !== undefined) return resource.storageVersionHash
  // What has storage can be watched.
  if (!resource.verbs.includes('watch')) return undefined
  const elsewhere = storedElsewhere[`${resource.plural}.${resource.group}`]
  const { group, version } = elsewhere === undefined ? resource : parseApiVersion(elsewhere)
  return createHash('sha256')
    .update(`${group}/${version}/${resource.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64')
}

/** Built-in resources that upstream does not store in the version that it serves. */
const storedElsewhere: Readonly<Record<string, string>> = {
  'events.events.k8s.io': 'v1',
  'horizontalpodautoscalers.autoscaling': 'autoscaling/v2',
  'mutatingadmissionpolicies.admissionregistration.k8s.io': 'admissionregistration.k8s.io/v1beta1',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io':
    'admissionregistration.k8s.io/v1beta1',
}
