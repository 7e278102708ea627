import { systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { createReadiness, type ReadinessOptions } from './readiness.ts'

/** For what must come; a busy machine takes its time. */
const patience = { timeout: 30_000 }

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

test('a check that hangs is not waited for', async () => {
  const stuck = () => new Promise<void>(() => undefined)
  const { readiness } = setUp({ checks: { stuck }, timeoutMs: 20 })
  expect(await readiness.isReady()).toBe(false)
})

test('what stops is not ready, whatever the checks say', async () => {
  const stopping = new AbortController()
  const { readiness } = setUp({ checks: {}, stopping: stopping.signal })
  expect(await readiness.isReady()).toBe(true)
  stopping.abort()
  expect(await readiness.isReady()).toBe(false)
})

test('the log is told of a check that fails after it was well, once, and not while the process starts', async () => {
  let problem: Error | undefined = new Error('still filling')
  const check = (): void => {
    if (problem) throw problem
  }
  const { lines, readiness } = setUp({ checks: { caches: check } })
  const becomes = (ready: boolean) => expect.poll(() => readiness.isReady(), patience).toBe(ready)
  await becomes(false)
  problem = undefined
  await becomes(true)
  problem = new Error('the connection broke')
  await becomes(false)
  await becomes(false)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the connection broke')
})
