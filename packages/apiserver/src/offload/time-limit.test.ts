import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
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
  const worker = await workerOf('setTimeout(() => process.exit(), 20)')
  const settled = new AbortController()
  const exceeded = exceededTime(worker, settled.signal, { cpuMs: 10, timeMs: 600_000 })
  const outcome = exceeded.then(
    () => 'exceeded',
    () => 'rejected',
  )
  await once(worker, 'exit')
  await sleep(50)
  settled.abort()
  expect(await outcome).toBe('rejected')
})
