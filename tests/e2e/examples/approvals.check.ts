import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatform } from '../../support/agentctl/local-platform.ts'

const example = join(
  import.meta.dirname,
  '../../../charts/agents/examples/approvalpolicy-scripted.yaml',
)
let platform: LocalPlatform

beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform?.remove())

test('the run of the example waits until agentctl approves it, and then goes on', async () => {
  const { agentctl } = platform
  const name = 'approved-run'
  const explained = async () => (await agentctl('explain', 'run', name)).stdout
  expect(await agentctl('apply', '-f', example)).toMatchObject({ code: 0 })
  const task = ['--agent', 'scripted', '--text', 'Greet the reader', '--name', name]
  expect(await agentctl('run', ...task, '--no-wait')).toMatchObject({ code: 0 })
  await expect
    .poll(async () => (await agentctl('approvals')).stdout, { timeout: 200_000 })
    .toContain(`agentrun/${name}`)
  expect(await explained()).toContain('WaitingForApproval')
  const { stdout } = await agentctl('get', 'jobs', '-o', 'name')
  expect(stdout).not.toContain(name)
  const approved = await agentctl('approve', name, '--yes', '--comment', 'as in the example')
  expect(`${approved.code} ${approved.stdout}`).toMatch(/^0 approved: approved-run-/)
  expect(await agentctl('logs', '-f', name, '--quiet')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Greet the reader'),
  })
  expect(await explained()).toContain('(as in the example)')
})
