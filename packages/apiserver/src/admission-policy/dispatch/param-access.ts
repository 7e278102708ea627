import { type KubeObject, parseApiVersion, sameJson } from '@agents/kube'
import { superusers } from '../../auth/rbac/authorizer.ts'
import type { UserInfo } from '../../request/user-info.ts'
import { type Admission, noAdmission } from '../../rest/admission.ts'
import { invalid } from '../../status/api-error.ts'
import { forbiddenValue } from '../../status/field-errors.ts'
import { resourceOfKind } from '../params.ts'
import {
  admissionGroup,
  type BindingSpec,
  type ParamKind,
  type PolicySpec,
} from '../policy-objects.ts'
import type { PolicyDependencies } from './policy-dependencies.ts'

/** The kind of policy that each kind of binding belongs to. */
const policiesOf: Readonly<Record<string, string>> = {
  validatingadmissionpolicybindings: 'validatingadmissionpolicies',
  mutatingadmissionpolicybindings: 'mutatingadmissionpolicies',
}

/**
 * Admission that requires read access to params from the author of a policy or binding, because a policy can reveal its
 * params to anybody who sends requests: access to all objects of a `paramKind`, and to those that a `paramRef` names.
 * Checked only if the reference is new or changed.
 */
export function paramAccessCheck(dependencies: PolicyDependencies): Admission {
  return {
    ...noAdmission,
    validate({ resource, subresource, object, old, context }) {
      if (resource.group !== admissionGroup || object === undefined || subresource !== '') return
      if (context.user.groups.includes(superusers)) return
      const policies = policiesOf[resource.plural]
      const [field, problem] =
        policies === undefined
          ? ['spec.paramKind', kindProblem(object, old, context.user, dependencies)]
          : ['spec.paramRef', refProblem(object, old, policies, context.user, dependencies)]
      if (problem === undefined) return
      const kind = { group: resource.group, kind: resource.kind }
      throw invalid(kind, object.metadata.name, [forbiddenValue(field, problem)])
    },
  }
}

function kindProblem(
  object: KubeObject,
  old: KubeObject | undefined,
  user: UserInfo,
  dependencies: PolicyDependencies,
): string | undefined {
  const { paramKind } = specOf<PolicySpec>(object)
  if (paramKind === undefined) return undefined
  if (old !== undefined && sameJson(specOf<PolicySpec>(old).paramKind, paramKind)) return undefined
  const wanted = { ...resourceOf(paramKind, dependencies), namespace: '*', name: '*' }
  if (isAllowed(dependencies, user, 'get', wanted)) return undefined
  return `user ${describe(user)} must have "get" permission on all objects of the referenced paramKind (kind=${paramKind.kind}, apiVersion=${paramKind.apiVersion})`
}

function refProblem(
  object: KubeObject,
  old: KubeObject | undefined,
  policies: string,
  user: UserInfo,
  dependencies: PolicyDependencies,
): string | undefined {
  const { paramRef, policyName } = specOf<BindingSpec>(object)
  if (paramRef === undefined) return undefined
  if (old !== undefined) {
    const before = specOf<BindingSpec>(old)
    if (before.policyName === policyName && sameJson(before.paramRef, paramRef)) return undefined
  }
  const policy = dependencies.store.get(`/${admissionGroup}/${policies}/${policyName}`)?.value
  const paramKind = policy === undefined ? undefined : specOf<PolicySpec>(policy).paramKind
  const { name = '', namespace = '' } = paramRef
  const verb = name === '' ? 'list' : 'get'
  const wanted = { ...resourceOf(paramKind, dependencies), namespace, name }
  if (isAllowed(dependencies, user, verb, wanted)) return undefined
  const all = `user ${describe(user)} does not have "${verb}" permission for all groups, versions and resources`
  if (policy === undefined) {
    return `unable to get policy ${policyName} to determine minimum required permissions and ${all}`
  }
  if (paramKind !== undefined && wanted.resource === '*') {
    return `unable to resolve paramKind ${paramKind.apiVersion}, Kind=${paramKind.kind} to determine minimum required permissions and ${all}`
  }
  return `user ${describe(user)} does not have "${verb}" permission on the object referenced by paramRef`
}

/** Falls back to a wildcard for the parts of the reference that cannot be resolved. */
function resourceOf(
  paramKind: ParamKind | undefined,
  { registry }: PolicyDependencies,
): { group: string; resource: string } {
  if (paramKind === undefined) return { group: '*', resource: '*' }
  const { group } = parseApiVersion(paramKind.apiVersion)
  return { group, resource: resourceOfKind(registry, paramKind)?.plural ?? '*' }
}

function isAllowed(
  { authorizer }: PolicyDependencies,
  user: UserInfo,
  verb: string,
  wanted: { group: string; resource: string; namespace: string; name: string },
): boolean {
  const attributes = { isResource: true, verb, subresource: '', path: '', ...wanted }
  return authorizer.decide(user, attributes).allowed
}

/** Formats a user as Go prints the struct. */
function describe({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const more = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`)
  return `&{${name} ${uid} [${groups.join(' ')}] map[${more.sort().join(' ')}]}`
}

function specOf<Spec>(object: KubeObject): Spec {
  return (object.spec ?? {}) as Spec
}
