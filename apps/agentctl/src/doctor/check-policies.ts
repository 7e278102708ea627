import type { AdmissionPolicy } from '@agents/crd'
import type { Finding } from '@agents/jangar'
import { isForbidden, isNotFound, type KubeClient, type KubeObject } from '@agents/kube'
import { type PolicyKind, platformPolicies, policyKinds } from '../cluster/admission-policies.ts'

const about = 'policies'

interface Binding {
  readonly policyName?: string
  readonly validationActions?: readonly string[]
}

/** Checks that admission policies compare the permissions of authors with what the platform does on their behalf. */
export async function checkPolicies({
  client,
  signal,
}: {
  readonly client: KubeClient
  readonly signal: AbortSignal
}): Promise<Finding> {
  const advice = ['See "Admission policies" in docs/chart.md for the risk and what to do.']
  const { major, minor } = await client.discovery.version({ signal })
  const version = `${major}.${Number.parseInt(minor, 10)}`
  try {
    const listed = await listAll(client, signal)
    if (listed === undefined) {
      const says = `Kubernetes ${version} serves no ValidatingAdmissionPolicies, which need 1.30: whoever may write providers and rules can use Secrets that they may not read`
      return { about, verdict: 'doubtful', says, advice }
    }
    const demanded = platformPolicies.filter(({ feature }) => feature === undefined)
    const missing = demanded.filter(
      (policy) => policy.kind === 'ValidatingAdmissionPolicy' && !isEnforced(policy, listed),
    )
    if (missing.length > 0) {
      const says = `missing, or without a binding that has the action Deny: ${missing.map(({ name }) => name).join(', ')}`
      return { about, verdict: 'doubtful', says, advice }
    }
    const says = `all ${demanded.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy').length} are installed and bound`
    return { about, verdict: 'good', says }
  } catch (error) {
    if (!isForbidden(error)) throw error
    const says = 'not checked: you are not allowed to list ValidatingAdmissionPolicies'
    return { about, verdict: 'doubtful', says }
  }
}

interface Listed {
  readonly policies: readonly KubeObject[]
  readonly bindings: readonly (KubeObject & { spec: object })[]
}

/** Undefined where the cluster does not serve them. */
async function listAll(client: KubeClient, signal: AbortSignal): Promise<Listed | undefined> {
  const list = async (kind: PolicyKind | undefined) =>
    kind === undefined ? [] : (await client.list(kind, { signal })).items
  try {
    const [policies, bindings] = await Promise.all([
      list(policyKinds.ValidatingAdmissionPolicy),
      list(policyKinds.ValidatingAdmissionPolicyBinding),
    ])
    return { policies, bindings }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Installations put a prefix of their own in front of a policy's name. */
function isEnforced({ name }: AdmissionPolicy, { policies, bindings }: Listed): boolean {
  return policies
    .filter(({ metadata }) => metadata.name.endsWith(`-${name}`))
    .some(({ metadata }) =>
      bindings.some(({ spec }) => {
        const { policyName, validationActions = [] } = spec as Binding
        return policyName === metadata.name && validationActions.includes('Deny')
      }),
    )
}
