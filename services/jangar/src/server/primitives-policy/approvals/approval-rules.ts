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
  return kind === 'User' ? name : `${accountUser}${namespace ?? own}:${name}`
}

/**
 * Refuses approvers whom no API server can authenticate. Whether the others exist is not looked up: the answer would
 * tell the author of a policy about accounts that they may not read.
 */
function approversProblem(approvers: readonly Approver[]): ApprovalPolicyProblem | undefined {
  for (const [at, approver] of approvers.entries()) {
    const problem = nameProblem(approver) ?? namespaceProblem(approver)
    if (problem !== undefined) {
      return { reason: 'InvalidApprover', message: `spec.approvers[${at}].${problem}` }
    }
  }
  return undefined
}

const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
/** Each character is in at most one place of the pattern, so that a long name takes no longer than its length. */
const accountName = /^(?=.{1,253}$)[a-z0-9]+(-+[a-z0-9]+)*(\.[a-z0-9]+(-+[a-z0-9]+)*)*$/
const accountUser = 'system:serviceaccount:'
const accountGroup = 'system:serviceaccounts:'

function nameProblem({ kind, name }: Approver): string | undefined {
  if (name.trim() === '') return 'name: is empty'
  if (/\p{Cc}/u.test(name)) return 'name: has control characters'
  if (kind === 'ServiceAccount') {
    return accountName.test(name) ? undefined : 'name: is not the name of a ServiceAccount'
  }
  if (kind === 'User' && name.startsWith(accountUser)) {
    const [namespace = '', account = '', ...more] = name.slice(accountUser.length).split(':')
    const isAccount =
      namespaceName.test(namespace) && accountName.test(account) && more.length === 0
    return isAccount ? undefined : `name: is not ${accountUser}NAMESPACE:NAME`
  }
  if (kind === 'Group' && name.startsWith(accountGroup)) {
    const isNamespace = namespaceName.test(name.slice(accountGroup.length))
    return isNamespace ? undefined : `name: is not ${accountGroup}NAMESPACE`
  }
  return undefined
}

function namespaceProblem({ kind, namespace }: Approver): string | undefined {
  if (namespace === undefined) return undefined
  if (kind !== 'ServiceAccount') return `namespace: a ${kind} has no namespace; remove it`
  return namespaceName.test(namespace) ? undefined : 'namespace: is not the name of a namespace'
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
