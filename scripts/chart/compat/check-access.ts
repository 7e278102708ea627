import {
  at,
  type ChartSnapshot,
  type Finding,
  listAt,
  type RenderedObject,
} from './chart-snapshot.ts'

/** C6: with the same values nobody may do more than before. */
export function checkAccess(before: ChartSnapshot, after: ChartSnapshot): readonly Finding[] {
  return Object.entries(before.profiles).flatMap(([profile, objects]) => {
    const then = new Set(grants(objects))
    return grants(after.profiles[profile] ?? [])
      .filter((grant) => !then.has(grant))
      .map((grant) => ({ rule: 'C6' as const, subject: grant, problem: `it is new (${profile})` }))
  })
}

/** Every permission as a sentence: who may do what to what, where. A narrower name or namespace is another sentence. */
function grants(objects: readonly RenderedObject[]): readonly string[] {
  return objects.filter(isBinding).flatMap((binding) => {
    const role = objects.find(
      (object) =>
        object.kind === at(binding, 'roleRef', 'kind') &&
        object.metadata.name === at(binding, 'roleRef', 'name') &&
        object.metadata.namespace ===
          (object.kind === 'Role' ? binding.metadata.namespace : undefined),
    )
    const where = binding.metadata.namespace ?? 'every namespace'
    return listAt(binding, 'subjects').flatMap((subject) =>
      listAt(role, 'rules').flatMap((rule) =>
        sentences(rule).map((sentence) => `${at(subject, 'name')} may ${sentence} in ${where}`),
      ),
    )
  })
}

function isBinding({ kind }: RenderedObject): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding'
}

function sentences(rule: unknown): readonly string[] {
  const names = listAt(rule, 'resourceNames')
  const only = names.length > 0 ? ` named ${names.join(' or ')}` : ''
  return listAt(rule, 'verbs').flatMap((verb) =>
    listAt(rule, 'apiGroups').flatMap((group) =>
      listAt(rule, 'resources').map((resource) => {
        const suffix = group === '' ? '' : `.${group}`
        return `${verb} ${resource}${suffix}${only}`
      }),
    ),
  )
}
