import type { AnyKind } from '../kind/define-kind.ts'

/** One rule of a ValidatingAdmissionPolicy. */
export interface PolicyValidation {
  readonly expression: string
  readonly message: string
  readonly messageExpression?: string
  readonly reason?: 'Forbidden' | 'Invalid'
}

interface PolicySpec {
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly matchConstraints: object
  readonly matchConditions?: readonly NamedExpression[]
  readonly variables?: readonly NamedExpression[]
}

export interface NamedExpression {
  readonly name: string
  readonly expression: string
}

/**
 * An admission policy of the platform, independent of an installation. Values that depend on the installation are
 * placeholders in its expressions.
 */
export interface AdmissionPolicy {
  /** A name that is unique among the policies of the platform. An installation adds its prefix. */
  readonly name: string
  readonly description: string
  /** The scope of its binding: all namespaces, or those that the installation manages. */
  readonly appliesTo: 'everywhere' | 'managedNamespaces'
  /** If set, the policy is installed only if this feature is enabled. */
  readonly feature?: string
  readonly kind: 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy'
  readonly spec: PolicySpec & {
    readonly validations?: readonly PolicyValidation[]
    readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
    readonly mutations?: readonly object[]
  }
}

/**
 * The parts of a policy that denies the requests for which all conditions hold. Kubernetes converts the object once for
 * the match conditions and three times more for validations, so what decides is a match condition: most requests pass.
 * It is one expression, because Kubernetes evaluates all match conditions, whatever the first one says.
 */
export function deniesIf(
  conditions: readonly string[],
  denial: Omit<PolicyValidation, 'expression'>,
): Required<Pick<AdmissionPolicy['spec'], 'matchConditions' | 'validations'>> {
  return {
    matchConditions: [{ name: 'denied', expression: conditions.join(' && ') }],
    validations: [{ expression: 'false', ...denial }],
  }
}

/** As `deniesIf`, for a policy with several messages: its validations are evaluated only if one of them fails. */
export function deniesUnless(
  validations: readonly PolicyValidation[],
): Required<Pick<AdmissionPolicy['spec'], 'matchConditions' | 'validations'>> {
  const all = validations.map(({ expression }) => `(${expression})`).join(' && ')
  return { matchConditions: [{ name: 'denied', expression: `!(${all})` }], validations }
}

/** A placeholder for the user names of the installation's service accounts, as a CEL list. */
export const platformAccountsPlaceholder = 'PLATFORM_ACCOUNTS'

type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

type WrittenKind = Pick<AnyKind, 'group' | 'plural' | 'scope'>

/** Match constraints for requests that write objects of the kinds, without subresources such as status. */
export function writesOf(
  kinds: readonly WrittenKind[],
  operations: readonly Operation[] = ['CREATE', 'UPDATE'],
): object {
  return constraints(kinds.map((kind) => ruleOf(kind, kind.plural, operations)))
}

/** Match constraints for requests that write the status of objects of the kind. */
export function statusWritesOf(kind: WrittenKind): object {
  return constraints([ruleOf(kind, `${kind.plural}/status`, ['UPDATE'])])
}

/**
 * The rules name every version of a resource, and no resource is in two groups: there is nothing that Kubernetes would
 * call equivalent. Looking for it would cost every write in the cluster, once for each policy.
 */
function constraints(resourceRules: readonly object[]): object {
  return { matchPolicy: 'Exact', resourceRules }
}

function ruleOf(
  { group, scope }: WrittenKind,
  resource: string,
  operations: readonly Operation[],
): object {
  return { apiGroups: [group], apiVersions: ['*'], operations, resources: [resource], scope }
}
