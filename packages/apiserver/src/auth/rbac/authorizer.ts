import type { UserInfo } from '../../request/user-info.ts'
import { serviceAccountUserName } from '../tokens/service-account-token.ts'
import {
  type AccessAttributes,
  type Policy,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleSubject,
  ruleAllows,
} from './policy.ts'

interface AccessDecision {
  readonly allowed: boolean
  /** The binding that allowed the request, or the roles that were not found. */
  readonly reason: string
}

/** A rule that applies to a user, and the binding that grants it. */
interface GrantedRule {
  readonly rule: PolicyRule
  readonly source: string
}

export interface Authorizer {
  decide(user: UserInfo, wanted: AccessAttributes): AccessDecision
  /** Rules that apply to a user cluster-wide and, if `namespace` is not empty, in that namespace. */
  rulesFor(user: UserInfo, namespace: string): { granted: GrantedRule[]; errors: string[] }
}

/** Members of this group may do anything regardless of roles, so that administrators cannot lock themselves out. */
export const superusers = 'system:masters'

/** An authorizer for a snapshot of roles and bindings. Cheap to create, since indexes are built on first use. */
export function rbacAuthorizer(policy: Policy): Authorizer {
  const index = lazily(() => indexPolicy(policy))
  return {
    decide(user, wanted) {
      if (user.groups.includes(superusers)) return { allowed: true, reason: '' }
      const { granted, errors } = collectRules(index(), user, wanted.namespace)
      const match = granted.find(({ rule }) => ruleAllows(rule, wanted))
      if (match) return { allowed: true, reason: `RBAC: allowed by ${match.source}` }
      return { allowed: false, reason: errors.length > 0 ? `RBAC: ${joinErrors(errors)}` : '' }
    },
    rulesFor(user, namespace) {
      return collectRules(index(), user, namespace)
    },
  }
}

interface PolicyIndex {
  readonly clusterRoles: ReadonlyMap<string, Role>
  readonly roles: ReadonlyMap<string, Role>
  readonly clusterRoleBindings: readonly RoleBinding[]
  readonly roleBindings: ReadonlyMap<string, readonly RoleBinding[]>
}

function indexPolicy(policy: Policy): PolicyIndex {
  const { clusterRoles, roles, clusterRoleBindings, roleBindings } = policy
  return {
    clusterRoles: new Map(clusterRoles.map((role) => [role.metadata.name, role])),
    roles: new Map(
      roles.map((role) => [roleKey(role.metadata.namespace ?? '', role.metadata.name), role]),
    ),
    clusterRoleBindings,
    roleBindings: Map.groupBy(roleBindings, ({ metadata }) => metadata.namespace ?? ''),
  }
}

function collectRules(
  index: PolicyIndex,
  user: UserInfo,
  namespace: string,
): { granted: GrantedRule[]; errors: string[] } {
  const granted: GrantedRule[] = []
  const errors: string[] = []
  const collect = (
    binding: RoleBinding,
    kind: string,
    displayName: string,
    role: Role | undefined,
  ) => {
    const subject = binding.subjects?.find((each) => appliesTo(each, user, namespace))
    if (subject === undefined) return
    if (role === undefined) {
      errors.push(
        `${binding.roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${binding.roleRef.name}" not found`,
      )
      return
    }
    const source = `${kind} "${displayName}" of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${describe(subject, namespace)}`
    for (const rule of role.rules ?? []) granted.push({ rule, source })
  }
  for (const binding of index.clusterRoleBindings) {
    const { name } = binding.metadata
    collect(binding, 'ClusterRoleBinding', name, index.clusterRoles.get(binding.roleRef.name))
  }
  if (namespace === '') return { granted, errors }
  for (const binding of index.roleBindings.get(namespace) ?? []) {
    const { kind, name } = binding.roleRef
    const role =
      kind === 'Role' ? index.roles.get(roleKey(namespace, name)) : index.clusterRoles.get(name)
    collect(binding, 'RoleBinding', `${binding.metadata.name}/${namespace}`, role)
  }
  return { granted, errors }
}

/** The namespace of a service account defaults to that of the binding. */
function appliesTo(subject: RoleSubject, user: UserInfo, bindingNamespace: string): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.name
    case 'Group':
      return user.groups.includes(subject.name)
    case 'ServiceAccount': {
      const namespace = subject.namespace ?? bindingNamespace
      return namespace !== '' && serviceAccountUserName(namespace, subject.name) === user.name
    }
    default:
      return false
  }
}

function describe({ kind, name, namespace }: RoleSubject, bindingNamespace: string): string {
  return kind === 'ServiceAccount'
    ? `${kind} "${name}/${namespace ?? bindingNamespace}"`
    : `${kind} "${name}"`
}

function joinErrors(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`
}

function roleKey(namespace: string, name: string) {
  return `${namespace}/${name}`
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
