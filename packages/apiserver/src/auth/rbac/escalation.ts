import { type KubeObject, sameJson } from '@agents/kube'
import { type Admission, type AdmissionAttributes, noAdmission } from '../../rest/admission.ts'
import { badRequest, forbidden, notFound } from '../../status/api-error.ts'
import { type Authorizer, superusers } from './authorizer.ts'
import { missingRules, quotedList, ruleText } from './missing-rules.ts'
import type { PolicyRule, Role, RoleBinding } from './policy.ts'

const group = 'rbac.authorization.k8s.io'

/** Finds a Role, or a ClusterRole if the namespace is empty. */
export type FindRole = (namespace: string, name: string) => Role | undefined

/**
 * Rejects roles and bindings that grant more than their author has, unless the author may `escalate` or `bind` the
 * role.
 */
export function escalationCheck(authorizer: Authorizer, findRole: FindRole): Admission {
  return {
    ...noAdmission,
    admit(attributes) {
      const { operation, resource, object, old, context } = attributes
      if (resource.group !== group || object === undefined) return
      if (operation !== 'CREATE' && operation !== 'UPDATE') return
      if (context.user.groups.includes(superusers)) return
      if (old !== undefined && sameJson(withoutCollection(object), withoutCollection(old))) return
      switch (resource.plural) {
        case 'roles':
        case 'clusterroles':
          return checkRole(authorizer, attributes, object)
        case 'rolebindings':
        case 'clusterrolebindings':
          return checkBinding(authorizer, findRole, attributes, object)
      }
    },
  }
}

/** A write that changes only these fields is exempt, since the garbage collector makes such writes. */
function withoutCollection({ metadata, ...rest }: KubeObject): object {
  const { finalizers: _f, ownerReferences: _o, managedFields: _m, ...others } = metadata
  return { ...rest, metadata: others }
}

function checkRole(
  authorizer: Authorizer,
  { resource, namespace, name, old, context }: AdmissionAttributes,
  object: KubeObject,
): void {
  const wanted = { ...nothing, verb: 'escalate', resource: resource.plural, namespace, name }
  if (authorizer.decide(context.user, wanted).allowed) return
  const role = object as unknown as ClusterRole
  refuseMissing(authorizer, context.user, namespace, role.rules ?? [], (why) =>
    forbidden(resource, object.metadata.name, why),
  )
  // An aggregation rule may collect any rule, so it requires full access.
  if (!isAggregated(role) && !isAggregated(old as unknown as ClusterRole | undefined)) return
  refuseMissing(authorizer, context.user, namespace, everything, () =>
    forbidden(
      resource,
      object.metadata.name,
      'must have cluster-admin privileges to use the aggregationRule',
    ),
  )
}

interface ClusterRole extends Role {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly unknown[] | null } | null
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function isAggregated(role: ClusterRole | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0
}

function checkBinding(
  authorizer: Authorizer,
  findRole: FindRole,
  { resource, namespace, context }: AdmissionAttributes,
  object: KubeObject,
): void {
  const { roleRef } = object as unknown as RoleBinding
  const isLocal = roleRef?.kind === 'Role'
  // An invalid reference is rejected by validation.
  if (!isLocal && roleRef?.kind !== 'ClusterRole') return
  const plural = isLocal ? 'roles' : 'clusterroles'
  const wanted = { ...nothing, verb: 'bind', resource: plural, namespace, name: roleRef.name }
  if (authorizer.decide(context.user, wanted).allowed) return
  if (isLocal && namespace === '') throw badRequest('namespace is required')
  const role = findRole(isLocal ? namespace : '', roleRef.name)
  if (role === undefined) throw notFound(resource, roleRef.name)
  refuseMissing(authorizer, context.user, namespace, role.rules ?? [], (why) =>
    forbidden(resource, object.metadata.name, why),
  )
}

const nothing = { isResource: true, group, subresource: '', path: '' }

function refuseMissing(
  authorizer: Authorizer,
  user: AdmissionAttributes['context']['user'],
  namespace: string,
  wanted: readonly PolicyRule[],
  refusal: (why: string) => Error,
): void {
  const { granted, errors } = authorizer.rulesFor(user, namespace)
  const owned = granted.map(({ rule }) => rule)
  const missing = [...new Set(missingRules(owned, wanted).map(ruleText))].sort()
  if (missing.length === 0) return
  const problems = errors.length === 0 ? '' : `; resolution errors: [${errors.join(' ')}]`
  const who = `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)})`
  throw refusal(
    `${who} is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${problems}`,
  )
}
