import type { ManifestIdentity } from '../document/identity.ts'

/**
 * What others need comes first. Kinds that are not listed, such as custom resources, come before those that intercept
 * requests: a webhook whose pods do not run yet would reject everything after it.
 */
const early = [
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/StorageClass',
  'node.k8s.io/RuntimeClass',
  '/ResourceQuota',
  '/LimitRange',
  'networking.k8s.io/NetworkPolicy',
  '/ServiceAccount',
  '/Secret',
  '/ConfigMap',
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/RoleBinding',
  '/Service',
]

const late = [
  'apiregistration.k8s.io/APIService',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
]

/** The order in which objects are applied: by kind, then by namespace and name. */
export function inRestoreOrder<T extends { readonly identity: ManifestIdentity }>(
  objects: readonly T[],
): T[] {
  return objects.toSorted(
    (a, b) =>
      rank(a.identity) - rank(b.identity) || compareText(textOf(a.identity), textOf(b.identity)),
  )
}

function rank({ group, kind }: ManifestIdentity): number {
  const name = `${group}/${kind}`
  const first = early.indexOf(name)
  if (first !== -1) return first
  return early.length + 1 + late.indexOf(name)
}

function textOf({ group, kind, namespace, name }: ManifestIdentity): string {
  return [group, kind, namespace, name].join('\0')
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
