import { type Step, stepDone, stepWaits } from '@agents/controller'
import { type AgentRun, agentRun } from '@agents/jangar-api'
import { isConflict, isNotFound, type KubeClient, kindRef } from '@agents/kube'

export interface RetentionPorts {
  readonly client: Pick<KubeClient, 'delete'>
  /** For runs that do not say so themselves. 0: for ever. */
  readonly defaultMs: number
}

const agentRuns = kindRef<AgentRun>(agentRun)

/** Deletes a run that has ended long enough ago. Each is due at a time of its own, so no sweep ever looks at all of them. */
export function retention({ client, defaultMs }: RetentionPorts): Step<AgentRun> {
  return {
    name: 'live no longer than allowed',
    run: async (run, { now, signal }) => {
      const { finishedAt } = run.status ?? {}
      const { ttlSecondsAfterFinished: seconds } = run.spec
      const keptMs = seconds === undefined ? defaultMs : seconds * 1000
      if (keptMs === 0 || finishedAt === undefined) return stepDone
      const leftMs = Date.parse(finishedAt) + keptMs - now.getTime()
      if (leftMs > 0) return stepWaits('its time is not over', leftMs)
      const { uid = '', resourceVersion = '' } = run.metadata
      // A later word about how long to keep it must not come too late.
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
