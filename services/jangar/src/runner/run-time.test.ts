import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { createStop } from './process/stop.ts'
import { createHarness, shell } from './testing/runner-harness.ts'

const limits = { timeout: 60_000 }

// They wait more than they work.
describe.concurrent('time and signals', limits, () => {
  test('a run that takes too long is ended', async ({ expect }) => {
    const harness = createHarness()
    const ran = await harness.run({
      runner: { timeouts: { runSeconds: 3 } },
      argv: shell('echo begun; sleep 60'),
    })
    expect(ran).toMatchObject({ exitCode: 124, stdout: 'begun\n' })
    expect(ran.message).toMatchObject({ outcome: 'timedOut', reason: 'TimedOut' })
  })

  test('a program that does not listen is killed after the grace, its children too', async ({
    expect,
  }) => {
    const harness = createHarness()
    const stop = createStop()
    const ran = await harness.run({
      runner: { timeouts: { runSeconds: 3, graceSeconds: 1 } },
      stop,
      argv: shell('trap "echo not now" TERM; (trap "" TERM; sleep 60) & wait; wait; sleep 60'),
    })
    expect(ran).toMatchObject({ exitCode: 124, stdout: 'not now\n' })
    expect(ran.message?.signal).toBe('SIGKILL')
  })

  test('output in the grace period is kept, and the run is still cancelled', async ({ expect }) => {
    const harness = createHarness()
    const stop = createStop()
    const running = harness.run({
      stop,
      argv: shell('trap "echo goodbye; exit 0" TERM; touch listening; sleep 60 & wait'),
    })
    await expect.poll(() => existsSync(join(harness.workspace, 'listening'))).toBe(true)
    stop.request({ kind: 'Terminated', signal: 'SIGTERM' })
    const ran = await running
    expect(ran).toMatchObject({ exitCode: 143, stdout: 'goodbye\n' })
    expect(ran.message).toMatchObject({ outcome: 'cancelled', reason: 'Terminated' })
  })

  test('what the program leaves running does not outlive it, nor hold up the run', async ({
    expect,
  }) => {
    const harness = createHarness()
    // Longer than the test may take.
    const ran = await harness.run({ argv: shell('sleep 600 & echo $!') })
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+\n$/) })
    await expect.poll(() => isAlive(Number(ran.stdout))).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
