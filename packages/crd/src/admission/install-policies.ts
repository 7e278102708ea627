import { type AdmissionPolicy, platformAccountsPlaceholder } from './admission-policy.ts'
import { celList } from './cel-text.ts'

/** The values of an installation of the platform that its policies depend on. */
export interface PolicyInstallation {
  /** The prefix of every policy name, so that several installations can share a cluster. */
  readonly prefix: string
  /** User names of the installation's own service accounts. */
  readonly accounts: readonly string[]
  /** The namespaces that the installation manages. If omitted, all. */
  readonly namespaces?: readonly string[]
  readonly features?: readonly string[]
  readonly kinds?: readonly AdmissionPolicy['kind'][]
}

export interface PolicyObject {
  readonly apiVersion: 'admissionregistration.k8s.io/v1'
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: object
}

/** The objects of each policy and its binding, as the chart renders them. */
export function policyObjects(
  policies: readonly AdmissionPolicy[],
  installation: PolicyInstallation,
): readonly PolicyObject[] {
  const { prefix, features = [], kinds } = installation
  return policies
    .filter(({ feature }) => feature === undefined || features.includes(feature))
    .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
    .flatMap((policy): PolicyObject[] => {
      const apiVersion = 'admissionregistration.k8s.io/v1'
      const metadata = { name: `${prefix}-${policy.name}` }
      return [
        { apiVersion, kind: policy.kind, metadata, spec: filledIn(policy, installation) },
        {
          apiVersion,
          kind: `${policy.kind}Binding`,
          metadata,
          spec: bindingOf(policy, metadata.name, installation),
        },
      ]
    })
}

function filledIn({ spec }: AdmissionPolicy, { accounts }: PolicyInstallation): object {
  return JSON.parse(
    JSON.stringify(spec).replaceAll(platformAccountsPlaceholder, () => celList(accounts)),
  )
}

function bindingOf(
  { kind, appliesTo }: AdmissionPolicy,
  policyName: string,
  { namespaces }: PolicyInstallation,
): object {
  const label = { key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }
  return {
    policyName,
    ...(kind === 'ValidatingAdmissionPolicy' && { validationActions: ['Deny'] }),
    ...(appliesTo === 'managedNamespaces' &&
      namespaces !== undefined && {
        matchResources: { namespaceSelector: { matchExpressions: [label] } },
      }),
  }
}
