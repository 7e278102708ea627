import type { ApprovalPolicy } from '@agents/jangar-api'

type Approver = NonNullable<NonNullable<ApprovalPolicy['spec']>['approvers']>[number]
type Subject = NonNullable<NonNullable<ApprovalPolicy['spec']>['subjects']>[number]

/** What an ApprovalPolicy asks for, with its defaults. */
export interface ApprovalRules {
  /** Undefined: approvers decide. */
  readonly auto: 'Approve' | 'Deny' | undefined
  /** Names of users, those of service accounts included. */
  readonly users: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly quorum: number
  readonly allowSelfApproval: boolean
  readonly expiresAfterSeconds: number | undefined
  readonly onTimeout: 'Approve' | 'Deny'
}

export interface ApprovalPolicyProblem {
  readonly reason:
    | 'UnsupportedMode'
    | 'UnsupportedDecision'
    | 'NoApprovers'
    | 'QuorumUnreachable'
    | 'InvalidApprover'
    | 'InvalidSubject'
  readonly message: string
}

/** The kinds of runs, and of what they run, that a policy can name. */
const subjectKinds = [
  'Agent',
  'Tool',
  'Orchestration',
  'AgentRun',
  'ToolRun',
  'OrchestrationRun',
] as const

const automatic: Readonly<Record<string, 'Approve' | 'Deny'>> = { approve: 'Approve', deny: 'Deny' }

/** Reads the spec of a policy, or reports what is wrong with it. */
export function approvalRules({
  metadata,
  spec,
}: ApprovalPolicy): ApprovalRules | ApprovalPolicyProblem {
  const { mode = 'manual', defaultDecision = 'deny', approvers = [], quorum = 1 } = spec ?? {}
  const wrong = approversProblem(approvers) ?? subjectsProblem(spec?.subjects ?? [], metadata)
  if (wrong !== undefined) return wrong
  if (mode !== 'manual' && mode !== 'auto') {
    return { reason: 'UnsupportedMode', message: `spec.mode: ${mode} is not manual or auto` }
  }
  const auto = mode === 'auto' ? automatic[defaultDecision] : undefined
  if (mode === 'auto' && auto === undefined) {
    const message = `spec.defaultDecision: ${defaultDecision} is not approve or deny`
    return { reason: 'UnsupportedDecision', message }
  }
  const users = new Set(approvers.flatMap((one) => usernameOf(one, metadata.namespace) ?? []))
  const groups = new Set(approvers.flatMap(({ kind, name }) => (kind === 'Group' ? [name] : [])))
  if (auto === undefined && users.size + groups.size === 0) {
    const message = 'spec.approvers: is empty, so that nobody can approve; list approvers'
    return { reason: 'NoApprovers', message }
  }
  if (auto === undefined && groups.size === 0 && quorum > users.size) {
    const message = `spec.quorum: ${quorum} is more than the ${users.size} different approvers`
    return { reason: 'QuorumUnreachable', message }
  }
  return {
    ...{ auto, users, groups, quorum },
    allowSelfApproval: spec?.allowSelfApproval ?? false,
    expiresAfterSeconds: spec?.expiresAfterSeconds,
    onTimeout: spec?.onTimeout ?? 'Deny',
  }
}

function usernameOf({ kind, name, namespace }: Approver, own: string | undefined) {
  if (kind === 'Group') return undefined
  return kind === 'User' ? name : `system:serviceaccount:${namespace ?? own}:${name}`
}

function approversProblem(approvers: readonly Approver[]): ApprovalPolicyProblem | undefined {
  for (const [at, { kind, name, namespace }] of approvers.entries()) {
    const path = `spec.approvers[${at}]`
    if (name.trim() === '') {
      return { reason: 'InvalidApprover', message: `${path}.name: is empty` }
    }
    if (kind !== 'ServiceAccount' && namespace !== undefined) {
      const message = `${path}.namespace: a ${kind} has no namespace; remove it`
      return { reason: 'InvalidApprover', message }
    }
  }
  return undefined
}

/** A policy decides about its own namespace: others would be stopped by whoever may write policies here. */
function subjectsProblem(
  subjects: readonly Subject[],
  { namespace: own }: ApprovalPolicy['metadata'],
): ApprovalPolicyProblem | undefined {
  for (const [at, { kind, name, namespace }] of subjects.entries()) {
    const path = `spec.subjects[${at}]`
    if (!(subjectKinds as readonly string[]).includes(kind)) {
      const message = `${path}.kind: ${kind} is not one of ${subjectKinds.join(', ')}`
      return { reason: 'InvalidSubject', message }
    }
    if (name.trim() === '') {
      return { reason: 'InvalidSubject', message: `${path}.name: is empty` }
    }
    if (namespace !== undefined && namespace !== own) {
      const message = `${path}.namespace: must be ${own}, the namespace of the policy`
      return { reason: 'InvalidSubject', message }
    }
  }
  return undefined
}

/** Whether the policy has one of these as a subject. */
export function hasSubject(
  { spec }: ApprovalPolicy,
  candidates: readonly { readonly kind: string; readonly name: string }[],
): boolean {
  return (spec?.subjects ?? []).some((subject) =>
    candidates.some(
      ({ kind, name }) => kind === subject.kind && ['*', name].includes(subject.name),
    ),
  )
}
