import { type Step, stepDone, stepWaits } from '@agents/controller'
import { type AgentRun, agentRun } from '@agents/jangar-api'
import { isConflict, isNotFound, type KubeClient, kindRef } from '@agents/kube'
import { endOfRun } from '@agents/status'

export interface RetentionPorts {
  readonly client: Pick<KubeClient, 'delete'>
  /** For runs without `spec.ttlSecondsAfterFinished`. 0: runs are kept. */
  readonly defaultMs: number
}

const agentRuns = kindRef<AgentRun>(agentRun)

/**
 * Deletes a finished run after its time to live. Each run is requeued when it is due, so no sweep over all runs is
 * needed.
 */
export function retention({ client, defaultMs }: RetentionPorts): Step<AgentRun> {
  return {
    name: 'delete the finished run',
    run: async (run, { now, signal }) => {
      const end = endOfRun(run)
      const { ttlSecondsAfterFinished: seconds } = run.spec
      const keptMs = seconds === undefined ? defaultMs : seconds * 1000
      if (keptMs === 0 || end === undefined) return stepDone
      const leftMs = end + keptMs - now.getTime()
      if (leftMs > 0) return stepWaits('its time to live has not passed', leftMs)
      const { uid = '', resourceVersion = '' } = run.metadata
      // If the time to live was changed since, the delete fails and the new value applies.
      const preconditions = { uid, resourceVersion }
      try {
        await client.delete(agentRuns, run.metadata, { preconditions, signal })
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
      return stepDone
    },
  }
}
