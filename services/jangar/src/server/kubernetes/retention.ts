import { type Step, stepDone, stepWaits } from '@agents/controller'
import {
  isConflict,
  isNotFound,
  type KindRef,
  type KubeClient,
  type KubeObject,
} from '@agents/kube'
import { endOfRun } from '@agents/status'
import { type RunArchive, waitsForArchive } from './run-archive.ts'

type Run = KubeObject & Parameters<typeof endOfRun>[0]

interface Retention<T extends Run> {
  readonly client: Pick<KubeClient, 'delete'>
  readonly kind: KindRef<T>
  /** How long a finished run is kept, in milliseconds. 0: permanently. */
  keptMs(run: T): number
  /** If omitted, runs are not archived. */
  readonly archive?: RunArchive<T> | undefined
}

/**
 * Deletes a finished run after its time to live. Each run is requeued when it is due, so no sweep over all runs is
 * needed.
 */
export function retention<T extends Run>({ client, kind, keptMs, archive }: Retention<T>): Step<T> {
  return {
    name: 'delete the finished run',
    run: async (run, { now, signal }) => {
      const end = endOfRun(run)
      const kept = keptMs(run)
      if (kept === 0 || end === undefined) return stepDone
      const leftMs = end + kept - now.getTime()
      if (leftMs > 0) return stepWaits('its time to live has not passed', leftMs)
      // Its finalizer would wait too, but until then the run would be shown as one that is being deleted.
      if (archive?.has(run) === false) return waitsForArchive
      const { uid = '', resourceVersion = '' } = run.metadata
      // If the time to live was changed since, the delete fails and the new value applies.
      const preconditions = { uid, resourceVersion }
      try {
        await client.delete(kind, run.metadata, { preconditions, signal })
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
      return stepDone
    },
  }
}
