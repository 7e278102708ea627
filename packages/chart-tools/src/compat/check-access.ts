import {
  at,
  type ChartSnapshot,
  type Finding,
  listAt,
  type RenderedObject,
} from './chart-snapshot.ts'

/** C6: the same values grant no additional permissions. */
export function checkAccess(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return Object.entries(before.profiles).flatMap(([profile, objects]) => {
    const then = new Set(grants(objects))
    return grants(after.profiles[profile] ?? [])
      .filter((grant) => !then.has(grant))
      .map((grant) => ({
        rule: 'C6' as const,
        subject: grant,
        problem: `the permission is new (${profile})`,
      }))
  })
}

/** Every permission as a sentence with subject, verb, resource and namespace. Each resource name is a new sentence. */
function grants(objects: readonly RenderedObject[]): readonly string[] {
  return [...objects.filter(isBinding).flatMap((one) => bound(one, objects)), ...lent(objects)]
}

function bound(binding: RenderedObject, objects: readonly RenderedObject[]): readonly string[] {
  const { kind, name } = binding.roleRef as { readonly kind: string; readonly name: string }
  const role = objects.find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      object.metadata.namespace ===
        (object.kind === 'Role' ? binding.metadata.namespace : undefined),
  )
  const where = binding.metadata.namespace ?? 'every namespace'
  const rights =
    role === undefined
      ? [`use the permissions of ${kind} ${name}, which the chart does not define,`]
      : listAt(role, 'rules').flatMap(sentences)
  return listAt(binding, 'subjects').flatMap((subject) =>
    rights.map((right) => `${nameOf(subject)} may ${right} in ${where}`),
  )
}

function nameOf(subject: unknown): string {
  const kind = at(subject, 'kind')
  return kind === 'ServiceAccount' ? `${at(subject, 'name')}` : `${kind} ${at(subject, 'name')}`
}

/** The permissions that are added to cluster roles by aggregation labels. */
function lent(objects: readonly RenderedObject[]): readonly string[] {
  const label = 'rbac.authorization.k8s.io/aggregate-to-'
  return objects
    .filter(({ kind }) => kind === 'ClusterRole')
    .flatMap((role) =>
      Object.keys(role.metadata.labels ?? {})
        .filter((key) => key.startsWith(label))
        .flatMap((key) =>
          listAt(role, 'rules')
            .flatMap(sentences)
            .map((right) => `${key.slice(label.length)} (aggregated) may ${right}`),
        ),
    )
}

function isBinding({ kind }: RenderedObject): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding'
}

function sentences(rule: unknown): readonly string[] {
  const names = listAt(rule, 'resourceNames')
  const only = names.length > 0 ? ` named ${names.join(' or ')}` : ''
  return listAt(rule, 'verbs').flatMap((verb) => [
    ...listAt(rule, 'nonResourceURLs').map((url) => `${verb} ${url}`),
    ...listAt(rule, 'apiGroups').flatMap((group) =>
      listAt(rule, 'resources').map((resource) => {
        const suffix = group === '' ? '' : `.${group}`
        return `${verb} ${resource}${suffix}${only}`
      }),
    ),
  ])
}
