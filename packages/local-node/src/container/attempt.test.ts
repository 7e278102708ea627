import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@agents/controller'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defaultLogLimits } from '../logs/log-writer.ts'
import { newAttempt } from './attempt.ts'
import type { ContainerEngine, EngineState } from './engine/engine.ts'
import { Spawner } from './spawner.ts'

let folder: string
let spawner: Spawner
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-attempt-'))
  spawner = new Spawner()
})
afterAll(async () => {
  spawner.close()
  await rm(folder, { recursive: true, force: true })
})

// Limits for hangs: nothing here waits for the grace period to pass.
const graceMs = 600_000

describe('a container that is stopped', { timeout: 60_000 }, () => {
  test.each([
    {
      because: 'before the shell that starts it is running',
      pathExists: false,
      slow: 'sleep 1',
    },
    { because: 'as soon as it runs', pathExists: true, slow: ':' },
  ])('$because ends at once', async ({ pathExists, slow }) => {
    const place = { number: 0, folder: join(folder, slow.slice(0, 1)), marker: `attempt-${slow}` }
    const attempt = await newAttempt(
      place,
      { startedAt: new Date().toISOString(), bootId: 'b', messagePath: '', fallBackToLog: false },
      { clock: systemClock, logLimits: defaultLogLimits, bootId: 'b', spawner },
    )
    const ended = Promise.withResolvers<void>()
    const started = attempt.start(
      {
        command: ['/bin/sh', '-c', 'exec sleep 600'],
        workingDir: folder,
        environment: { PATH: '/usr/bin:/bin' },
        through: ['/bin/sh', '-c', `${slow}; exec "$@"`, 'sh'],
      },
      ended.resolve,
    )
    if (pathExists) await started
    attempt.stop(graceMs)
    await ended.promise
    expect(attempt.end).toMatchObject({ exitCode: 143, reason: 'Error' })
  })
})

describe('a container whose engine command has ended', { timeout: 60_000 }, () => {
  const running = { hasStarted: true, isRunning: true, exitCode: 0, isOutOfMemory: false }

  test.each([
    {
      because: 'with a failure of its own, while the container runs',
      exit: 125,
      state: running,
      end: { exitCode: 137, reason: 'ContainerStatusUnknown' },
    },
    {
      because: 'with the same code as the container',
      exit: 125,
      state: { ...running, isRunning: false, exitCode: 125 },
      end: { exitCode: 125, reason: 'Error' },
    },
    {
      because: 'without a container',
      exit: 125,
      state: undefined,
      end: { exitCode: 128, reason: 'StartError', message: 'no such thing' },
    },
    {
      because: 'by a signal, while the container runs',
      exit: 137,
      state: running,
      end: { exitCode: 137, reason: 'Error' },
    },
  ])('$because', async ({ because, exit, state, end }) => {
    const place = { number: 0, folder: join(folder, `e-${because.length}`), marker: because }
    const words = { startedAt: new Date().toISOString(), bootId: 'b', messagePath: '' }
    const engine = {
      state: (): Promise<EngineState | undefined> => Promise.resolve(state),
      remove: () => Promise.resolve(),
    } as unknown as ContainerEngine
    const attempt = await newAttempt(
      place,
      { ...words, fallBackToLog: false, engineName: 'name' },
      { clock: systemClock, logLimits: defaultLogLimits, bootId: 'b', spawner, engine },
    )
    const ended = Promise.withResolvers<void>()
    const script = `echo 'docker: Error response from daemon: no such thing'; exit ${exit}`
    await attempt.start(
      {
        command: ['/bin/sh', '-c', script],
        workingDir: folder,
        environment: { PATH: '/usr/bin:/bin' },
        through: [],
      },
      ended.resolve,
    )
    await ended.promise
    expect(attempt.end).toMatchObject(end)
  })
})
