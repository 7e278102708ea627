import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPlatform } from '../../support/agentctl/local-platform.ts'

test('a new user sees the platform’s objects mirrored to Git', { timeout: 900_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-record-'))
  const repository = join(folder, 'record.git')
  const platform = await startPlatform('--mirror', repository)
  onTestFinished(async () => {
    await platform.remove()
    await rm(folder, { recursive: true, force: true })
  })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository }).toString()
  const files = () =>
    git('ls-tree', '-r', '--name-only', 'main')
      .split('\n')
      .filter((name) => name !== '')

  const untilReady = () =>
    platform.agentctl('wait', 'gittarget', 'mirror', '--for=condition=Ready', '--timeout=300s')
  expect(await untilReady()).toMatchObject({ code: 0 })
  expect(files()).toContain('platform/agents/agents.proompteng.ai/agentruns/first-run.yaml')

  await platform.agentctl('run', '--agent', 'scripted', '--text', 'Greet', '--name', 'second')
  const second = 'platform/agents/agents.proompteng.ai/agentruns/second.yaml'
  await expect.poll(files, { timeout: 200_000 }).toContain(second)
  const text = git('show', `main:${second}`)
  expect(text).toMatch(/^apiVersion: agents\.proompteng\.ai\/v1alpha1\nkind: AgentRun\nmetadata:\n/)
  expect(text).not.toContain('status:')

  // People are admin, the components of the platform have a user of their own.
  const authors = git('log', '--format=%an <%ae>%n%b', 'main', '--', second)
  expect(authors).toContain('admin <admin@user.agents.invalid>')
  expect((await platform.agentctl('delete', 'agentrun', 'second')).code).toBe(0)
  await expect.poll(files, { timeout: 200_000 }).not.toContain(second)
  expect(git('log', '-1', '--format=%an <%ae>, %cn', 'main', '--', second).trim()).toBe(
    'admin <admin@user.agents.invalid>, GitTarget',
  )

  const status = async () => (await platform.agentctl('gittarget', 'status')).stdout
  expect(await status()).toMatch(/^mirror in agents: RUNNING\n/)
  // Commits may still follow each other.
  const isCurrent = async () => (await status()).includes(git('rev-parse', 'main').trim())
  await expect.poll(isCurrent, { timeout: 200_000 }).toBe(true)

  const diff = () => platform.agentctl('gittarget', 'diff', 'mirror')
  await expect.poll(diff, { timeout: 200_000 }).toMatchObject({ code: 0, stdout: '' })

  const before = git('rev-parse', 'main')
  platform.up().child.kill('SIGINT')
  await platform.up().finished
  await platform.startAgain()
  expect(await untilReady()).toMatchObject({ code: 0 })
  expect(git('rev-parse', 'main')).toBe(before)
})

test('a folder with other contents is not touched', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-record-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'letters.txt'), 'dear …')
  await expect(startPlatform('--mirror', folder)).rejects.toThrow(
    /is not empty and not a bare Git repository/,
  )
})
