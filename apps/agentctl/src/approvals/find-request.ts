import type { ApprovalRequest } from '@agents/jangar-api'
import { isNotFound, type KubeClient, kindRef } from '@agents/kube'
import { isFinished } from '@agents/status'
import { CommandFailure, usageFailure } from '../cli/command-failure.ts'
import { platformKind } from '../cluster/known-kinds.ts'

export type { ApprovalRequest }

const ApprovalRequestKind = kindRef<ApprovalRequest>(platformKind('ApprovalRequest'))

/** The requests that wait for a decision, or all of them; the first to expire first. */
export async function openRequests(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  signal: AbortSignal,
  { all = false } = {},
): Promise<ApprovalRequest[]> {
  const { items } = await client.list(ApprovalRequestKind, { namespace, signal })
  return items
    .filter((request) => all || isOpen(request))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

/** The request of this name, or the only one that waits of the run of this name. */
export async function findRequest(
  client: Pick<KubeClient, 'get' | 'list'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<ApprovalRequest> {
  try {
    return await client.get(ApprovalRequestKind, { namespace, name }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  const open = await openRequests(client, namespace, signal)
  const [first, ...others] = open.filter(({ spec }) => spec.subject.name === name)
  if (first === undefined) {
    throw new CommandFailure(
      `there is no ApprovalRequest ${name} in the namespace ${namespace}, and no run of that name waits for a decision`,
      { advice: ['To see what waits: agentctl approvals'] },
    )
  }
  if (others.length > 0) {
    const names = [first, ...others].map(({ metadata }) => metadata.name).join(', ')
    throw usageFailure(`several requests wait for ${name}; name one of them: ${names}`)
  }
  return first
}

export function isOpen({ spec, status }: ApprovalRequest): boolean {
  return !isFinished(status?.conditions) && spec.cancel !== true
}

function order({ spec, metadata }: ApprovalRequest): string {
  return `${spec.deadline ?? '9999'} ${metadata.creationTimestamp} ${metadata.name}`
}
