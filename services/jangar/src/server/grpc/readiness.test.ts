import { systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { createReadiness, type ReadinessOptions } from './readiness.ts'

/** Generous, for slow machines. */
const pollOptions = { timeout: 30_000 }

function setUp(options: Pick<ReadinessOptions, 'checks'> & Partial<ReadinessOptions>) {
  const lines: string[] = []
  const log = createLogger({ sink: { write: (line) => lines.push(line) } })
  const stopping = new AbortController().signal
  const readiness = createReadiness({
    log,
    stopping,
    clock: systemClock,
    intervalMs: 1,
    ...options,
  })
  return { lines, readiness }
}

test('a check that hangs times out', async () => {
  const stuck = () => new Promise<void>(() => undefined)
  const { readiness } = setUp({ checks: { stuck }, timeoutMs: 20 })
  expect(await readiness.isReady()).toBe(false)
})

test('a process that shuts down is not ready, whatever its checks report', async () => {
  const stopping = new AbortController()
  const { readiness } = setUp({ checks: {}, stopping: stopping.signal })
  expect(await readiness.isReady()).toBe(true)
  stopping.abort()
  expect(await readiness.isReady()).toBe(false)
})

test('a check that starts to fail is logged once, but not before the process was ready', async () => {
  let problem: Error | undefined = new Error('still filling')
  const check = (): void => {
    if (problem) throw problem
  }
  const { lines, readiness } = setUp({ checks: { caches: check } })
  const becomes = (ready: boolean) =>
    expect.poll(() => readiness.isReady(), pollOptions).toBe(ready)
  await becomes(false)
  problem = undefined
  await becomes(true)
  problem = new Error('the connection broke')
  await becomes(false)
  await becomes(false)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the connection broke')
})
