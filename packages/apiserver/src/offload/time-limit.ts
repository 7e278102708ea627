import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

/** Far more than any accepted request takes. CPU time, so that requests do not fail because the machine is busy. */
const cpuLimitMs = 10_000
/** For a thread that gets no CPU time, or does not respond. */
const timeLimitMs = 60_000

type MeasuredWorker = Pick<Worker, 'cpuUsage'>

class TimedOut extends Error {
  override name = 'TimedOut'
  constructor(what: string) {
    super(`not answered within ${what}`)
  }
}

/** Resolves when the thread has used more time, from now on, than a request may take. Rejects when aborted. */
export async function exceededTime(
  worker: MeasuredWorker,
  signal: AbortSignal,
  limits = { cpuMs: cpuLimitMs, timeMs: timeLimitMs },
): Promise<Error> {
  const isLate = sleep(limits.timeMs, new TimedOut(`${limits.timeMs} ms`), { signal })
  return await Promise.race([isLate, exceededCpuTime(worker, signal, limits.cpuMs)])
}

async function exceededCpuTime(
  worker: MeasuredWorker,
  signal: AbortSignal,
  limitMs: number,
): Promise<Error> {
  const before = await worker.cpuUsage()
  for (let leftMs = limitMs; leftMs > 0; ) {
    await sleep(Math.max(leftMs, 10), undefined, { signal })
    const { user, system } = await worker.cpuUsage(before)
    leftMs = limitMs - (user + system) / 1000
  }
  return new TimedOut(`${limitMs} ms of CPU time`)
}
