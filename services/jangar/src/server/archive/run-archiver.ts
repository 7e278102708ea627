import { createHash } from 'node:crypto'
import {
  type ChangeSource,
  type Enqueue,
  lowPriority,
  type Runnable,
  WorkQueue,
  whenAborted,
} from '@agents/controller'
import { formatKey, stringifyJson } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { RunArchive } from '../kubernetes/run-archive.ts'
import { type ArchivedKind, type ArchivedRun, isArchivable, type Kept } from './archive-run.ts'

interface RunArchiverOptions<Run extends ArchivedRun> {
  readonly kind: ArchivedKind
  readonly runs: ChangeSource<Run>
  /** Stores one run. Retried if it throws. */
  readonly archive: (run: Run, kind: ArchivedKind) => Promise<Kept>
  readonly log: Logger
}

/** Limit of deleted runs that are held in memory until the database is available. */
const maxForgotten = 10_000

/**
 * Copies finished runs into the archive, once in each state that the archive shows. Failed writes are retried with
 * backoff, and until then controllers keep the run in the cluster. A run that vanishes nevertheless, because somebody
 * removed its finalizers, is held in memory until it is stored.
 */
export function runArchiver<Run extends ArchivedRun>({
  kind,
  runs,
  archive,
  log,
}: RunArchiverOptions<Run>): Runnable & RunArchive<Run> {
  const queue = new WorkQueue()
  const forgotten = new Map<string, Run>()
  /** Runs that a controller waits for, as it sees them. */
  const awaited = new Map<string, Run>()
  /** What this process has stored of runs in the cluster. */
  const states = new Map<string, string>()
  const listeners = new Set<Enqueue>()
  let isFailing = false

  const keep = async (key: string): Promise<void> => {
    const run = forgotten.get(key) ?? awaited.get(key) ?? runs.get(keyOfRun(key))
    if (!run || !isArchivable(run) || run.metadata.uid !== uidOf(key)) return
    const state = stateOf(run)
    if (states.get(key) !== state && (await archive(run, kind)) === 'reduced') {
      const { namespace, name } = run.metadata
      log.warn('run archived in part: the database refuses its content', { kind, namespace, name })
    }
    states.set(key, state)
    if (awaited.get(key) === run) {
      awaited.delete(key)
      for (const enqueue of listeners) enqueue(keyOfRun(key))
    }
    // The run may have been deleted in the meantime, in a later state.
    if (forgotten.get(key) === run) forgotten.delete(key)
    if (runs.get(keyOfRun(key))?.metadata.uid !== uidOf(key)) states.delete(key)
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
    has: (run) => {
      if (!isArchivable(run)) return true
      const key = archiveKey(run)
      if (states.get(key) === stateOf(run)) return true
      awaited.set(key, run)
      queue.add(key)
      return false
    },
    stored: {
      name: 'archive',
      start: (enqueue) => {
        listeners.add(enqueue)
        return { hasSynced: () => true, remove: () => void listeners.delete(enqueue) }
      },
    },
    run: async (signal) => {
      const subscription = runs.subscribe({
        onAdd: (run, isInInitialList) => add(run, isInInitialList ? lowPriority : 0),
        onUpdate: (_before, after) => add(after),
        onDelete: (run) => {
          if (!isArchivable(run)) return
          awaited.delete(archiveKey(run))
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

/** Differs if the archive would show another run. Deleting a run changes metadata that it does not show. */
function stateOf({ metadata, spec, status }: ArchivedRun): string {
  const { labels, annotations, generation } = metadata
  try {
    const shown = stringifyJson([labels, annotations, spec, status])
    return createHash('sha256').update(shown).digest('base64')
  } catch (error) {
    // The JSON is nested too deeply, and such a run is archived without it.
    if (!(error instanceof RangeError)) throw error
    return `${generation} ${status?.finishedAt}`
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
