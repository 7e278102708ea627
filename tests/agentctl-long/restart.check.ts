import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type LocalPlatform, startPlatform } from '../agentctl/local-platform.ts'

async function platformWithRuns(): Promise<LocalPlatform> {
  const platform = await startPlatform()
  onTestFinished(() => platform.remove())
  const slow = ['-p', 'scriptedMode=slow', '-p', 'scriptedDelaySeconds=2', '--no-wait']
  const flags = ['--agent', 'scripted', '--text', 'Take your time', '--name', 'slow', ...slow]
  expect((await platform.agentctl('run', ...flags)).code).toBe(0)
  const follower = platform.start(['logs', '-f', 'slow'])
  onTestFinished(() => void follower.child.kill())
  await follower.says('reading the task')
  return platform
}

async function expectNothingLost(platform: LocalPlatform): Promise<void> {
  const [first, slow] = await Promise.all([
    platform.agentctl('get', 'run', 'first-run', '-o', 'json'),
    platform.agentctl('logs', '-f', '-q', 'slow'),
  ])
  expect(JSON.parse(first.stdout)).toMatchObject({ status: { phase: 'Succeeded' } })
  // The one attempt that there was went on while nobody looked.
  expect(slow.code).toBe(0)
  expect(slow.stdout.match(/reading the task/g)).toHaveLength(1)
  expect(slow.stdout).toMatch(/done\n$/)
  const { stdout } = await platform.agentctl('get', 'run', 'slow', '-o', 'json')
  expect(JSON.parse(stdout).status).toMatchObject({ phase: 'Succeeded', attempts: 1 })
}

describe('agentctl up, again', () => {
  test('after Ctrl-C: it says that all is kept, and nothing is lost', async () => {
    const platform = await platformWithRuns()
    const first = platform.up()
    first.child.kill('SIGINT')
    const { code, stderr } = await first.finished
    expect(code).toBe(0)
    expect(stderr).toContain('Everything is kept')
    expect(existsSync(join(platform.stateDir, 'platform.json'))).toBe(false)
    await platform.startAgain()
    expect(platform.up().stdout()).not.toContain('reading the task')
    const address = /https:\/\/127\.0\.0\.1:\d+/
    expect(address.exec(platform.up().stderr())?.[0]).toBe(address.exec(first.stderr())?.[0])
    await expectNothingLost(platform)
  })

  test('after kill -9: the same', async () => {
    const platform = await platformWithRuns()
    platform.up().child.kill('SIGKILL')
    await platform.up().finished
    const doctor = await platform.agentctl('doctor')
    expect(doctor.stdout).toMatch(/maybe +local platform .*has ended without a word/)
    await platform.startAgain()
    await expectNothingLost(platform)
  })

  test('after agentctl down, with no sample asked for', async () => {
    const platform = await startPlatform('--no-sample')
    onTestFinished(() => platform.remove())
    expect(platform.up().stdout()).not.toContain('reading the task')
    const down = await platform.agentctl('down')
    expect(down.stdout).toBe(
      `Stopped the platform in ${platform.stateDir} (process ${platform.up().child.pid}).\n`,
    )
    expect((await platform.up().finished).code).toBe(0)
    // The sample was not shown yet, so now it is.
    await platform.startAgain()
    expect(platform.up().stdout()).toContain('reading the task')
  })

  test('Ctrl-C in the middle of the sample, and the sample is shown the next time', async () => {
    const platform = await startPlatform('--no-sample')
    onTestFinished(() => platform.remove())
    await platform.agentctl('down')
    const interrupted = platform.start(['up'])
    await interrupted.says('A first run')
    interrupted.child.kill('SIGINT')
    expect((await interrupted.finished).code).toBe(0)
    await platform.startAgain()
    expect(platform.up().stdout()).toMatch(/reading the task(.|\n)*done\n/)
  })
})
