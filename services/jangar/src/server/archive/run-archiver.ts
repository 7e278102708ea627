import {
  type ChangeSource,
  lowPriority,
  type Runnable,
  WorkQueue,
  whenAborted,
} from '@agents/controller'
import { formatKey } from '@agents/kube'
import type { Logger } from '@agents/log'
import { type ArchivedKind, type ArchivedRun, isArchivable } from './archive-run.ts'

interface RunArchiverOptions<Run extends ArchivedRun> {
  readonly kind: ArchivedKind
  readonly runs: ChangeSource<Run>
  /** Stores one run. Retried if it throws. */
  readonly archive: (run: Run, kind: ArchivedKind) => Promise<void>
  readonly log: Logger
}

/** Limit of deleted runs that are held in memory until the database is available. */
const maxForgotten = 10_000

/**
 * Copies finished runs into the archive, when they finish and again when they are deleted. An unavailable database does
 * not affect the cluster: failed writes are retried with backoff.
 */
export function runArchiver<Run extends ArchivedRun>({
  kind,
  runs,
  archive,
  log,
}: RunArchiverOptions<Run>): Runnable {
  const queue = new WorkQueue()
  const forgotten = new Map<string, Run>()
  let isFailing = false

  const keep = async (key: string): Promise<void> => {
    const run = forgotten.get(key) ?? runs.get(keyOfRun(key))
    if (!run || !isArchivable(run) || run.metadata.uid !== uidOf(key)) return
    await archive(run, kind)
    // The run may have been deleted in the meantime, in a later state.
    if (forgotten.get(key) === run) forgotten.delete(key)
  }
  const work = async (): Promise<void> => {
    for (;;) {
      const taken = await queue.take()
      if (!taken) return
      try {
        await keep(taken.key)
        queue.forget(taken.key)
        if (isFailing) log.info('archiving of runs recovered', { kind })
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn('archiving of runs failed; will be retried', { kind, error })
        isFailing = true
        queue.add(taken.key, { rateLimited: true, priority: taken.priority })
      } finally {
        queue.done(taken.key)
      }
    }
  }
  const add = (run: Run, priority = 0): void => {
    if (isArchivable(run)) queue.add(archiveKey(run), { priority })
  }
  return {
    name: `archive of ${kind}s`,
    run: async (signal) => {
      const subscription = runs.subscribe({
        onAdd: (run, isInInitialList) => add(run, isInInitialList ? lowPriority : 0),
        onUpdate: (_before, after) => add(after),
        onDelete: (run) => {
          if (!isArchivable(run)) return
          if (forgotten.size < maxForgotten) forgotten.set(archiveKey(run), run)
          else
            log.error('deleted run not archived: too many runs are waiting', {
              kind,
              run: run.metadata.name,
            })
          add(run)
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

/** Contains the uid, because another run may reuse the name. */
function archiveKey({ metadata }: ArchivedRun): string {
  return `${metadata.uid}:${formatKey(metadata)}`
}

function uidOf(key: string): string {
  return key.slice(0, key.indexOf(':'))
}

function keyOfRun(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}
