import {
  type ChangeSource,
  lowPriority,
  type Runnable,
  WorkQueue,
  whenAborted,
} from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { Logger } from '@agents/log'
import { isArchivable } from './archive-run.ts'

export interface RunArchiverOptions {
  readonly runs: ChangeSource<AgentRun>
  /** Keeps one run. What it throws is tried again. */
  readonly archive: (run: AgentRun) => Promise<void>
  readonly log: Logger
}

/** Runs whose last state is only here, because the cluster has forgotten them and the database does not answer. */
const maxForgotten = 10_000

/**
 * Copies runs that have ended into the archive, as soon as they end and once more when they are deleted. The cluster goes on
 * when the database does not: what could not be kept waits, less impatiently each time.
 */
export function runArchiver({ runs, archive, log }: RunArchiverOptions): Runnable {
  const queue = new WorkQueue()
  const forgotten = new Map<string, AgentRun>()
  let isFailing = false

  const keep = async (key: string): Promise<void> => {
    const run = forgotten.get(key) ?? runs.get(keyOfRun(key))
    if (!run || !isArchivable(run) || run.metadata.uid !== uidOf(key)) return
    await archive(run)
    // It may have been deleted meanwhile, in a later state.
    if (forgotten.get(key) === run) forgotten.delete(key)
  }
  const work = async (): Promise<void> => {
    for (;;) {
      const taken = await queue.take()
      if (!taken) return
      try {
        await keep(taken.key)
        queue.forget(taken.key)
        if (isFailing) log.info('runs are archived again')
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn('runs cannot be archived; this is tried again', { error })
        isFailing = true
        queue.add(taken.key, { rateLimited: true, priority: taken.priority })
      } finally {
        queue.done(taken.key)
      }
    }
  }
  const add = (run: AgentRun, priority = 0): void => {
    if (isArchivable(run)) queue.add(archiveKey(run), { priority })
  }
  return {
    name: 'run archive',
    run: async (signal) => {
      const subscription = runs.subscribe({
        onAdd: (run, isInInitialList) => add(run, isInInitialList ? lowPriority : 0),
        onUpdate: (_before, after) => add(after),
        onDelete: (run) => {
          if (!isArchivable(run)) return
          if (forgotten.size < maxForgotten) forgotten.set(archiveKey(run), run)
          else log.error('a deleted run is lost to the archive', { run: run.metadata.name })
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

/** With the uid: another run may have taken the name. */
function archiveKey({ metadata }: AgentRun): string {
  return `${metadata.uid}:${formatKey(metadata)}`
}

function uidOf(key: string): string {
  return key.slice(0, key.indexOf(':'))
}

function keyOfRun(key: string): string {
  return key.slice(key.indexOf(':') + 1)
}
