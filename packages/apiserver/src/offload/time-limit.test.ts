import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { exceededTime } from './time-limit.ts'

async function workerOf(script: string): Promise<Worker> {
  const worker = new Worker(script, { eval: true })
  onTestFinished(async () => void (await worker.terminate()))
  await once(worker, 'online')
  return worker
}

const { signal: never } = new AbortController()

test('a busy thread exceeds its CPU time', async () => {
  const worker = await workerOf('for (;;);')
  const { message } = await exceededTime(worker, never, { cpuMs: 50, timeMs: 600_000 })
  expect(message).toBe('not answered within 50 ms of CPU time')
})

test('a thread that waits does not, but exceeds the total time', async () => {
  const worker = await workerOf('setInterval(() => undefined, 5)')
  const { message } = await exceededTime(worker, never, { cpuMs: 600_000, timeMs: 300 })
  expect(message).toBe('not answered within 300 ms')
})

test('nothing is exceeded after an answer', async () => {
  const worker = await workerOf('for (;;);')
  const settled = new AbortController()
  const exceeded = exceededTime(worker, settled.signal, { cpuMs: 600_000, timeMs: 600_000 })
  settled.abort()
  await expect(exceeded).rejects.toThrow('aborted')
})

test('a thread that exits exceeds nothing', async () => {
  const worker = await workerOf('setInterval(() => undefined, 1000)')
  const exiting = {
    /** The thread exits after it was measured for the first time. */
    cpuUsage: async (before?: NodeJS.CpuUsage) => {
      if (before !== undefined) return await worker.cpuUsage(before)
      const first = await worker.cpuUsage()
      await worker.terminate()
      return first
    },
  }
  const exceeded = exceededTime(exiting, never, { cpuMs: 10, timeMs: 600_000 })
  await expect(exceeded).rejects.toThrow(/not running/i)
})
