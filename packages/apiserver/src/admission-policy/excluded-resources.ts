import { admissionGroup } from './policy-objects.ts'

/**
 * Resources that policies never apply to: reviews, which the cluster depends on, and the configuration of admission.
 */
const excluded: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
  `${admissionGroup}/mutatingadmissionpolicies`,
  `${admissionGroup}/mutatingadmissionpolicybindings`,
  `${admissionGroup}/validatingadmissionpolicies`,
  `${admissionGroup}/validatingadmissionpolicybindings`,
])

export function isExcluded(group: string, plural: string): boolean {
  return excluded.has(`${group}/${plural}`)
}
