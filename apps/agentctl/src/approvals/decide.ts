import type { ApprovalDecision, ApprovalPolicy } from '@agents/jangar-api'
import { type KubeClient, KubeError, kindRef, type New } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { CommandContext } from '../cli/command-context.ts'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { confirm } from '../cli/confirm.ts'
import { exitCode } from '../cli/exit-code.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { observe } from '../cluster/observe.ts'
import { stoppable } from '../cluster/stoppable.ts'
import { conditionOf } from '../cluster/wait-goal.ts'
import { type ApprovalRequest, findRequest, isOpen } from './find-request.ts'

const ApprovalDecisionKind = kindRef<ApprovalDecision>(platformKind('ApprovalDecision'))
const ApprovalPolicyKind = kindRef<ApprovalPolicy>(platformKind('ApprovalPolicy'))

interface Wish {
  readonly namespace: string
  readonly name: string
  readonly decision: 'Approve' | 'Deny'
  readonly comment: string | undefined
  /** Whether nobody is asked. */
  readonly yes: boolean
}

/** Shows what would run, asks, creates the decision, and waits until it is known whether it counts. */
export async function decideRequest(
  client: KubeClient,
  { namespace, name, decision, comment, yes }: Wish,
  context: CommandContext,
): Promise<number> {
  const { stop: signal, stderr, stdout, terminal } = context
  if (!yes && !terminal.isInteractive) {
    throw usageFailure(
      'a decision has to be confirmed, and there is no terminal to ask at',
      'To decide without a question: --yes.',
    )
  }
  const request = await findRequest(client, { namespace, name }, signal)
  if (!isOpen(request)) {
    const { reason, message } = conditionOf(request, 'Succeeded') ?? {}
    throw new CommandFailure(
      `ApprovalRequest ${request.metadata.name} does not wait for a decision: ${reason}, ${message}`,
    )
  }
  stderr.write(shown(request))
  const question = `${decision} this?`
  if (!yes && !(await confirm(question, context))) throw new CommandFailure('nothing was decided')
  const { username = '', groups = [] } = await client.whoAmI({ signal })
  const wanted = await groupsToName(client, request, groups, signal)
  const created = await client.create(
    ApprovalDecisionKind,
    {
      metadata: { generateName: `${request.metadata.name}-`, namespace },
      spec: {
        requestRef: { name: request.metadata.name },
        // What was shown: if the work has changed since, the decision does not count.
        digest: request.spec.digest,
        decision,
        ...(comment !== undefined && { comment }),
        approver: { username, ...(wanted.length > 0 && { groups: wanted }) },
      },
    } as unknown as New<ApprovalDecision>,
    { signal },
  )
  stdout.write(`${await outcome(client, created, context)}\n`)
  return exitCode.done
}

function shown({ metadata, spec }: ApprovalRequest): string {
  const { kind, name, step } = spec.subject
  const lines = [
    `ApprovalRequest ${metadata.name}, by ApprovalPolicy ${spec.policyRef.name}`,
    `Run: ${kind} ${name}${step === undefined ? '' : `, step ${step}`}`,
    `Requested by: ${spec.requestedBy ?? 'unknown'}`,
    ...(spec.deadline === undefined ? [] : [`Deadline: ${spec.deadline}`]),
    `Digest: ${spec.digest}`,
    '',
    spec.summary,
    '',
  ]
  return `${lines.join('\n')}\n`
}

const mostGroups = 100

/** The groups that the policy asks for. All of the user's if the user may not read the policy. */
async function groupsToName(
  client: KubeClient,
  { metadata: { namespace }, spec }: ApprovalRequest,
  own: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const key = { namespace, name: spec.policyRef.name }
    const { approvers = [] } = (await client.get(ApprovalPolicyKind, key, { signal })).spec ?? {}
    const asked = approvers.flatMap((one) => (one.kind === 'Group' ? [one.name] : []))
    return own.filter((group) => asked.includes(group))
  } catch (error) {
    if (!(error instanceof KubeError) || error.code >= 500) throw error
    return own.slice(0, mostGroups)
  }
}

/** Resolves to a line about a decision that counts. */
async function outcome(
  client: KubeClient,
  { metadata, spec }: ApprovalDecision,
  context: CommandContext,
): Promise<string> {
  const { name } = metadata
  const waits = {
    what: `ApprovalDecision ${name} to be counted`,
    advice: [
      `The decision was made. To see whether it counts: agentctl describe approvaldecision ${name}`,
    ],
  }
  const judged = (current: ApprovalDecision | undefined): string | undefined => {
    if (current === undefined) throw new CommandFailure(`ApprovalDecision ${name} was deleted`)
    if (!isFinished(current.status?.conditions)) return undefined
    const { status, reason, message } = conditionOf(current, 'Succeeded') ?? {}
    const word = spec.decision === 'Approve' ? 'approved' : 'denied'
    if (status === 'True') return `${word}: ${spec.requestRef.name}`
    throw new CommandFailure(`the decision does not count: ${reason}, ${message}`)
  }
  return await stoppable(context, 30_000, waits, (signal) =>
    observe(client, ApprovalDecisionKind, metadata, judged, signal),
  )
}
