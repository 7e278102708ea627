import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  agentctlPath,
  type LocalPlatform,
  startPlatform,
  startProgram,
} from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'
import { isFull } from '../../support/tier.ts'

async function platformWithRuns(): Promise<LocalPlatform> {
  const platform = await startPlatform()
  onTestFinished(() => platform.remove())
  const slow = ['-p', 'scriptedMode=slow', '-p', 'scriptedDelaySeconds=2', '--no-wait']
  const flags = ['--agent', 'scripted', '--text', 'Take your time', '--name', 'slow', ...slow]
  expect((await platform.agentctl('run', ...flags)).code).toBe(0)
  const follower = platform.start(['logs', '-f', 'slow'])
  onTestFinished(() => void follower.child.kill())
  await follower.waitForOutput('reading the task')
  return platform
}

async function expectNothingLost(platform: LocalPlatform): Promise<void> {
  const [first, slow] = await Promise.all([
    platform.agentctl('get', 'run', 'first-run', '-o', 'json'),
    platform.agentctl('logs', '-f', '-q', 'slow'),
  ])
  expect(JSON.parse(first.stdout)).toMatchObject({ status: { phase: 'Succeeded' } })
  // The only attempt continued while the platform was down.
  expect(slow.code).toBe(0)
  expect(slow.stdout.match(/reading the task/g)).toHaveLength(1)
  expect(slow.stdout).toMatch(/done\n$/)
  const { stdout } = await platform.agentctl('get', 'run', 'slow', '-o', 'json')
  expect(JSON.parse(stdout).status).toMatchObject({ phase: 'Succeeded', attempts: 1 })
}

async function databaseProcess({ stateDir }: LocalPlatform): Promise<number> {
  const lock = join(stateDir, 'postgres', 'data', 'postmaster.pid')
  await until(async () => existsSync(lock))
  return Number.parseInt(await readFile(lock, 'utf8'), 10)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('agentctl up, again', () => {
  test('after Ctrl-C: it reports that everything is kept, and nothing is lost', async () => {
    const platform = await platformWithRuns()
    const first = platform.up()
    first.child.kill('SIGINT')
    const { code, stderr } = await first.finished
    expect(code).toBe(0)
    expect(stderr).toContain('All state is kept')
    expect(existsSync(join(platform.stateDir, 'platform.json'))).toBe(false)
    await platform.startAgain()
    expect(platform.up().stdout()).not.toContain('reading the task')
    const address = /https:\/\/127\.0\.0\.1:\d+/
    expect(address.exec(platform.up().stderr())?.[0]).toBe(address.exec(first.stderr())?.[0])
    await expectNothingLost(platform)
  })

  test.runIf(isFull)('after kill -9: nothing is lost', async () => {
    const platform = await platformWithRuns()
    const postgres = await databaseProcess(platform)
    platform.up().child.kill('SIGKILL')
    await platform.up().finished
    await until(async () => !isRunning(postgres))
    const doctor = await platform.agentctl('doctor')
    expect(doctor.stdout).toMatch(/maybe +local platform .*was killed or has crashed/)
    expect(existsSync(join(platform.stateDir, 'platform.json'))).toBe(true)
    const down = await platform.agentctl('down')
    expect(down).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No platform is running'),
    })
    expect(existsSync(join(platform.stateDir, 'platform.json'))).toBe(false)
    await platform.startAgain()
    await expectNothingLost(platform)
  })

  test.runIf(isFull)(
    'after its terminal was closed: everything is stopped, and nothing is lost',
    async () => {
      const platform = await platformWithRuns()
      const { child, finished } = platform.up()
      const postgres = await databaseProcess(platform)
      child.stdout?.destroy()
      child.stderr?.destroy()
      // From the terminal, from the shell, and from a launcher.
      for (let times = 0; times < 3; times += 1) child.kill('SIGHUP')
      expect((await finished).code).toBe(0)
      expect(isRunning(postgres)).toBe(false)
      expect(existsSync(join(platform.stateDir, 'platform.json'))).toBe(false)
      await platform.startAgain()
      await expectNothingLost(platform)
    },
  )

  test.runIf(isFull)('after agentctl down, without the sample', async () => {
    const platform = await startPlatform('--no-sample')
    onTestFinished(() => platform.remove())
    expect(platform.up().stdout()).not.toContain('reading the task')
    expect(platform.up().stdout()).not.toMatch(/first-run|scripted/)
    const down = await platform.agentctl('down')
    expect(down.stdout).toBe(
      `Stopped the platform in ${platform.stateDir} (process ${platform.up().child.pid}).\n`,
    )
    expect((await platform.up().finished).code).toBe(0)
    // The sample has not been shown yet, so that it is shown now.
    await platform.startAgain()
    expect(platform.up().stdout()).toContain('reading the task')
    expect(platform.up().stdout()).toContain('explain run first-run')
    // What was deleted since is not named either.
    expect((await platform.agentctl('delete', 'run', 'first-run')).code).toBe(0)
    await platform.agentctl('down')
    await platform.startAgain()
    expect(platform.up().stdout()).not.toMatch(/first-run|scripted/)
  })

  test('after KUBECONFIG=… agentctl down, which stops that platform and no other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-kubeconfig-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const kubeconfig = join(folder, 'config')
    const platform = await startPlatform('--no-sample', '--kubeconfig', kubeconfig)
    onTestFinished(() => platform.remove())
    const down = startProgram(process.execPath, [agentctlPath, 'down'], { KUBECONFIG: kubeconfig })
    expect((await down.finished).stdout).toContain(`Stopped the platform in ${platform.stateDir} `)
    expect((await platform.up().finished).code).toBe(0)
  })

  test.runIf(isFull)(
    'Ctrl-C in the middle of the sample, and the sample is shown the next time',
    async () => {
      const platform = await startPlatform('--no-sample')
      onTestFinished(() => platform.remove())
      await platform.agentctl('down')
      const interrupted = platform.start(['up'])
      await interrupted.waitForOutput('A first run')
      interrupted.child.kill('SIGINT')
      expect((await interrupted.finished).code).toBe(0)
      await platform.startAgain()
      expect(platform.up().stdout()).toMatch(/reading the task(.|\n)*done\n/)
    },
  )
})
