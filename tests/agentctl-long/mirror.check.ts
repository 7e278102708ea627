import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startPlatform } from '../agentctl/local-platform.ts'

test('a newcomer sees the record of the platform grow in Git', { timeout: 900_000 }, async () => {
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

  await platform.agentctl('wait', 'gittarget', 'mirror', '--for=condition=Ready', '--timeout=300s')
  expect(files()).toContain('platform/agents/agents.proompteng.ai/agentruns/first-run.yaml')

  await platform.agentctl('run', '--agent', 'scripted', '--text', 'Greet', '--name', 'second')
  const second = 'platform/agents/agents.proompteng.ai/agentruns/second.yaml'
  await expect.poll(files, { timeout: 200_000 }).toContain(second)
  const text = git('show', `main:${second}`)
  expect(text).toMatch(/^apiVersion: agents\.proompteng\.ai\/v1alpha1\nkind: AgentRun\nmetadata:\n/)
  expect(text).not.toContain('status:')

  const status = await platform.agentctl('gittarget', 'status')
  expect(status.stdout).toMatch(/^mirror in agents: RUNNING\n/)
  expect(status.stdout).toContain(git('rev-parse', 'main').trim())

  const before = git('rev-parse', 'main')
  platform.up().child.kill('SIGINT')
  await platform.up().finished
  await platform.startAgain()
  await platform.agentctl('wait', 'gittarget', 'mirror', '--for=condition=Ready', '--timeout=300s')
  expect(git('rev-parse', 'main')).toBe(before)
})

test('a folder that holds other things is left alone', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-record-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'letters.txt'), 'dear …')
  await expect(startPlatform('--mirror', folder)).rejects.toThrow(
    /holds other things than a bare Git repository/,
  )
})
