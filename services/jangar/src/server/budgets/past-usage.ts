import { type Clock, type Runnable, sleep } from '@agents/controller'
import type { Logger } from '@agents/log'
import type { BudgetBook } from './budget-book.ts'
import type { Window } from './window.ts'
import type { UsedAmounts, Work } from './work.ts'

/** Usage of runs of the same agent, labels and Budget. */
export interface PastUsage {
  readonly of: Pick<Work, 'agent' | 'labels' | 'named'>
  readonly used: UsedAmounts
}

export interface PastQuestion {
  readonly namespace: string
  readonly window: Window
  /** Runs that are counted from the cluster. */
  readonly except: readonly string[]
  /** Runs whose first row is as young are counted from the cluster too. */
  readonly before: Date
}

/** What runs have used, also those that the cluster no longer holds. */
export interface UsageLedger {
  /** Keeps the usage of a run. Later states have a greater sequence; an earlier one never replaces a later one. */
  record(work: Work, sequence: string, now: Date): Promise<void>
  now(): Promise<Date>
  /** Those of the runs that it has. */
  known(uids: readonly string[]): Promise<readonly string[]>
  past(question: PastQuestion): Promise<readonly PastUsage[]>
}

interface ReaderPorts {
  readonly book: BudgetBook
  readonly ledger: UsageLedger
  readonly log: Logger
  readonly clock: Clock
}

/** What a process did not see itself, such as rows of a gateway, is found by then. */
const intervalMs = 30_000
const longestMs = 10_000

/** Reads the usage of deleted runs from the ledger for all Budgets, when one needs it and from time to time. */
export function pastUsagePart({ book, ledger, log, clock }: ReaderPorts): Runnable {
  let isFailing = false
  const read = async (): Promise<void> => {
    // Before the runs are listed: what is recorded later is of runs that the list has, or that come later.
    const before = await ledger.now()
    for (const { namespace, held, gone, windows } of book.pastQuestions()) {
      const confirmed = await ledger.known(gone)
      const isConfirmed = new Set(confirmed)
      const except = [...held, ...gone.filter((uid) => !isConfirmed.has(uid))]
      const answers = new Map<Window, readonly PastUsage[]>()
      for (const window of windows) {
        answers.set(window, await ledger.past({ namespace, window, except, before }))
      }
      book.setPast(namespace, { confirmed, answers })
    }
  }
  return {
    name: 'usage of deleted runs',
    run: async (signal) => {
      let wake = new AbortController()
      book.onUnread(() => wake.abort())
      while (!signal.aborted) {
        wake = new AbortController()
        try {
          await inTime(read(), clock, signal)
          if (isFailing) log.info('usage ledger can be read again')
          isFailing = false
        } catch (error) {
          if (signal.aborted) return
          if (!isFailing) {
            log.warn('usage ledger cannot be read; Budgets count the runs of the cluster', {
              error,
            })
          }
          isFailing = true
          book.setPastUnknown()
        }
        await sleep(clock, intervalMs, AbortSignal.any([signal, wake.signal]))
      }
    },
  }
}

async function inTime(work: Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
  const done = new AbortController()
  work.catch(() => undefined)
  const late = sleep(clock, longestMs, AbortSignal.any([done.signal, signal])).then(() => {
    if (!done.signal.aborted) throw new Error('the database does not answer')
  })
  late.catch(() => undefined)
  try {
    await Promise.race([work, late])
  } finally {
    done.abort()
  }
}
