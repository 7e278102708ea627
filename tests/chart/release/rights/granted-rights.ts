import { at, listAt, type RenderedObject } from '@agents/chart-tools'

/**
 * A permission that an account has or used: `get pods/log`, `update agentruns.agents.proompteng.ai/status`, `get
 * secrets named token`.
 */
export type Right = string

/** Permissions by account. */
export type Rights = ReadonlyMap<string, ReadonlySet<Right>>

interface Access {
  readonly verb: string
  readonly group?: string | undefined
  readonly resource: string
  readonly subresource?: string | undefined
  readonly name?: string | undefined
}

export function rightOf({ verb, group, resource, subresource, name }: Access): Right {
  const what = `${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`
  return `${verb} ${what}${name ? ` named ${name}` : ''}`
}

/** All permissions that the rendered Roles and ClusterRoles grant to ServiceAccounts, in any namespace. */
export function grantedRights(objects: readonly RenderedObject[]): Rights {
  const rights = new Map<string, Set<Right>>()
  for (const binding of objects.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind))) {
    const role = objects.find(
      ({ kind, metadata }) =>
        kind === at(binding, 'roleRef', 'kind') &&
        metadata.name === at(binding, 'roleRef', 'name') &&
        (kind === 'ClusterRole' || metadata.namespace === binding.metadata.namespace),
    )
    if (role === undefined) throw new Error(`${binding.metadata.name} binds no role of the chart`)
    for (const subject of listAt(binding, 'subjects')) {
      const account = String(at(subject, 'name'))
      const own = rights.get(account) ?? new Set()
      for (const right of listAt(role, 'rules').flatMap(rightsOfRule)) own.add(right)
      rights.set(account, own)
    }
  }
  return rights
}

function rightsOfRule(rule: unknown): readonly Right[] {
  const texts = (field: string): string[] => listAt(rule, field).map(String)
  const names = texts('resourceNames')
  return texts('verbs').flatMap((verb) =>
    texts('apiGroups').flatMap((group) =>
      texts('resources').flatMap((full) => {
        const [resource = '', subresource] = full.split('/', 2)
        const access = { verb, group, resource, subresource }
        return names.length > 0
          ? names.map((name) => rightOf({ ...access, name }))
          : [rightOf(access)]
      }),
    ),
  )
}

/** Permissions that the first has and the second lacks; which object names they are for depends on the release. */
export function beyond(rights: Rights, bound: Rights): readonly string[] {
  const general = (right: string) => right.replace(/ named .*/, ' named one')
  return [...rights].flatMap(([account, own]) => {
    const known = new Set([...(bound.get(account) ?? [])].map(general))
    return [...own]
      .filter((right) => !known.has(general(right)))
      .map((right) => `${account}: ${right}`)
  })
}
