import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface ReadersWork {
  readonly port: number
  readonly ca: string
  /** Each user may have only so many requests open. */
  readonly tokens: readonly string[]
  readonly count: number
  readonly changes: number
}

export interface ReadersReport {
  /** Changes that came twice, out of order, or were missing without a reset. */
  readonly problems: readonly string[]
  /** Of each reader. */
  readonly resets: readonly number[]
  /** When each reader saw each change, in milliseconds since 1970; 0 if it did not. */
  readonly times: Float64Array
  readonly cuts: number
}

export interface Readers {
  /** Cuts the connection of one reader. */
  cut(): void
  /** How many readers have not seen the change of this number. */
  waitingFor(number: number): Promise<number>
  /** How many readers have had no reset. */
  withoutReset(): Promise<number>
  /** `ranks` has the place of each change in the order in which the cluster has stored them. */
  end(ranks: readonly number[]): Promise<ReadersReport>
}

/** What the thread is asked. */
export type ReadersMessage =
  | 'cut'
  | 'resets'
  | { readonly number: number }
  | { readonly ranks: readonly number[] }

/** Connects many readers, in a thread of their own. */
export async function startReaders(work: ReadersWork): Promise<Readers> {
  const worker = new Worker(new URL('./readers-worker.ts', import.meta.url), { workerData: work })
  const answer = async <T>(): Promise<T> => {
    // Rejects if the thread fails.
    const [message] = (await once(worker, 'message')) as [T]
    return message
  }
  await answer()
  return {
    cut: () => worker.postMessage('cut'),
    waitingFor: async (number) => {
      worker.postMessage({ number })
      return (await answer<{ waiting: number }>()).waiting
    },
    withoutReset: async () => {
      worker.postMessage('resets')
      return (await answer<{ waiting: number }>()).waiting
    },
    end: async (ranks) => {
      worker.postMessage({ ranks })
      const report = await answer<ReadersReport>()
      await worker.terminate()
      return report
    },
  }
}
