import {
  type ChangeSource,
  type Clock,
  lowPriority,
  type Runnable,
  WorkQueue,
  whenAborted,
} from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { Logger } from '@agents/log'
import type { UsageLedger } from '../budgets/past-usage.ts'
import type { Work } from '../budgets/work.ts'

interface WriterOptions {
  readonly runs: ChangeSource<AgentRun>
  readonly workOf: (run: AgentRun) => Work
  readonly ledger: Pick<UsageLedger, 'record'>
  readonly log: Logger
  readonly clock: Clock
}

interface Pending {
  readonly work: Work
  readonly sequence: string
}

/** Limit of runs that are held in memory until the database is available. Those that exist are found again. */
const mostPending = 50_000

/**
 * Copies the usage of runs into the ledger whenever it changes. Each write is the whole usage of the run, so that one
 * that is repeated or late changes nothing. An unavailable database does not affect the cluster: writes are retried.
 */
export function ledgerWriter({ runs, workOf, ledger, log, clock }: WriterOptions): Runnable {
  const queue = new WorkQueue()
  const pending = new Map<string, Pending>()
  const written = new Map<string, string>()
  let isFailing = false
  const add = (run: AgentRun, priority = 0): void => {
    const work = workOf(run)
    const { uid, resourceVersion } = run.metadata
    if (uid === undefined || resourceVersion === undefined || work.used.tokens === 0) return
    if (written.get(uid) === stateOf(work)) return
    if (!pending.has(uid) && pending.size >= mostPending) {
      log.error('usage not recorded: too many runs are waiting', { run: work.key })
      return
    }
    pending.set(uid, { work, sequence: resourceVersion })
    queue.add(uid, { priority })
  }
  const write = async (uid: string): Promise<void> => {
    const next = pending.get(uid)
    if (next === undefined) return
    await ledger.record(next.work, next.sequence, clock.now())
    written.set(uid, stateOf(next.work))
    if (pending.get(uid) === next) pending.delete(uid)
  }
  const work = async (): Promise<void> => {
    for (;;) {
      const taken = await queue.take()
      if (!taken) return
      try {
        await write(taken.key)
        queue.forget(taken.key)
        if (isFailing) log.info('recording of usage recovered')
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn('recording of usage failed; will be retried', { error })
        isFailing = true
        queue.add(taken.key, { rateLimited: true, priority: taken.priority })
      } finally {
        queue.done(taken.key)
      }
    }
  }
  return {
    name: 'usage ledger',
    run: async (signal) => {
      const subscription = runs.subscribe({
        onAdd: (run, isInInitialList) => add(run, isInInitialList ? lowPriority : 0),
        onUpdate: (_before, run) => add(run),
        onDelete: (run) => {
          add(run)
          written.delete(run.metadata.uid ?? '')
        },
      })
      const workers = Array.from({ length: 4 }, work)
      await whenAborted(signal)
      subscription.remove()
      await queue.shutDown()
      await Promise.all(workers)
    },
  }
}

function stateOf({ used, models, usedAt, labels }: Work): string {
  return JSON.stringify([used, models, usedAt, labels])
}
