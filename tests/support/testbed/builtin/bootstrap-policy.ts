import type { JsonGetter } from '../json-getter.ts'

interface PolicyObject {
  readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>>
  readonly rules?: unknown
}

const group = '/apis/rbac.authorization.k8s.io/v1'
const kinds = {
  ClusterRole: 'clusterroles',
  ClusterRoleBinding: 'clusterrolebindings',
  Role: 'roles',
  RoleBinding: 'rolebindings',
} as const

/**
 * The access rules that the server writes at its first start, without those of controllers that only
 * kube-controller-manager runs.
 */
export async function bootstrapPolicy(get: JsonGetter): Promise<Record<string, unknown[]>> {
  const policy: Record<string, unknown[]> = {}
  for (const [kind, plural] of Object.entries(kinds)) {
    const { items } = (await get(`${group}/${plural}`)) as { readonly items: PolicyObject[] }
    policy[kind] = items
      .filter(({ metadata }) => !metadata.name.startsWith('system:controller:'))
      .map(withoutSystemFields)
  }
  return policy
}

function withoutSystemFields({ metadata, ...rest }: PolicyObject): unknown {
  const { name, namespace, labels, annotations } = metadata
  return { metadata: { name, namespace, labels, annotations }, ...rest }
}

/** Whether a controller has filled in the rules of the aggregated roles. */
export async function policyIsAggregated(get: JsonGetter): Promise<boolean> {
  const roles = await Promise.all(
    ['admin', 'edit', 'view'].map((name) => get(`${group}/clusterroles/${name}`)),
  )
  return roles.every((role) => ((role as PolicyObject).rules as unknown[] | null)?.length)
}
