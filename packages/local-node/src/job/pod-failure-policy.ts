import type { ContainerStatus, Pod } from '@agents/kube'
import type { Verdict } from './job-conditions.ts'

export interface PodFailurePolicy {
  rules: PodFailureRule[]
}

export interface PodFailureRule {
  action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count'
  onExitCodes?: { containerName?: string; operator: 'In' | 'NotIn'; values: number[] }
  onPodConditions?: { type: string; status?: string }[]
}

type FailureResponse =
  | { readonly action: 'count' }
  | { readonly action: 'ignore' }
  | { readonly action: 'fail'; readonly verdict: Verdict }

/** The action of the first rule that matches a failed pod. Without a match, the failure counts. */
export function respondToFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureResponse {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const why = match(rule, pod)
    if (why === undefined) continue
    if (rule.action === 'Ignore') return { action: 'ignore' }
    // FailIndex is valid for indexed Jobs only, which the server enforces.
    if (rule.action !== 'FailJob') return { action: 'count' }
    const message = `${why} matching ${rule.action} rule at index ${index}`
    return { action: 'fail', verdict: { reason: 'PodFailurePolicy', message } }
  }
  return { action: 'count' }
}

function match(rule: PodFailureRule, pod: Pod): string | undefined {
  const name = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
  if (rule.onExitCodes !== undefined) {
    const found = matchingContainer(rule.onExitCodes, pod)
    return found && `Container ${found.name} for pod ${name} failed with exit code ${found.code}`
  }
  const wanted = rule.onPodConditions ?? []
  const condition = (pod.status?.conditions ?? []).find(({ type, status }) =>
    wanted.some((one) => one.type === type && (one.status ?? 'True') === status),
  )
  return condition && `Pod ${name} has condition ${condition.type}`
}

function matchingContainer(
  { containerName, operator, values }: NonNullable<PodFailureRule['onExitCodes']>,
  pod: Pod,
): { name: string; code: number } | undefined {
  const statuses: ContainerStatus[] = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ]
  for (const { name, state } of statuses) {
    const code = state?.terminated?.exitCode
    if (code === undefined || code === 0) continue
    if (containerName !== undefined && containerName !== name) continue
    if (values.includes(code) === (operator === 'In')) return { name, code }
  }
  return undefined
}
