import type { AgentRun } from '@agents/jangar-api'
import { isForbidden, type KubeClient } from '@agents/kube'
import { isFinished } from '@agents/status'
import { conditionOf } from '../cluster/wait-goal.ts'
import { AgentRunKind } from '../run/run-kind.ts'

/** A run that holds a slot. */
export interface ActiveRun {
  readonly name: string
  readonly agent: string
  /** When it was given the slot. */
  readonly since: string | undefined
}

/** The runs that hold slots in the namespace of a run that waits for one. Empty if it waits for something else. */
export async function slotHolders(
  client: KubeClient,
  run: AgentRun,
  signal: AbortSignal,
): Promise<ActiveRun[]> {
  const { reason = '' } = conditionOf(run, 'Admitted') ?? {}
  if (!['Queued', 'ConcurrencyLimit', 'QueueLimit'].includes(reason)) return []
  const { namespace = '' } = run.metadata
  try {
    return activeRuns((await client.list(AgentRunKind, { namespace, signal })).items)
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}

/** Those that have held their slot the longest come first. */
export function activeRuns(runs: readonly AgentRun[]): ActiveRun[] {
  return runs
    .flatMap((run) => {
      const admitted = conditionOf(run, 'Admitted')
      if (admitted?.status !== 'True' || isFinished(run.status?.conditions)) return []
      const { lastTransitionTime: since } = admitted
      return [{ name: run.metadata.name, agent: run.spec.agentRef.name, since }]
    })
    .toSorted((a, b) => (a.since ?? '').localeCompare(b.since ?? ''))
}
