import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'

let platform: UsedPlatform
let user = ''

function agentctl(...args: string[]) {
  return platform.agentctl(...args)
}

beforeAll(async () => {
  platform = await usePlatform()
  const { stdout } = await agentctl('get', 'runs', '-o', 'json')
  expect(JSON.parse(stdout)).toHaveProperty('items')
})

/** A policy that concerns the scripted agent, whose runs are requested by the only user of the platform. */
async function withPolicy(spec: object): Promise<void> {
  const path = join(platform.stateDir, 'policy.json')
  const policy = {
    apiVersion: 'approvals.proompteng.ai/v1alpha1',
    kind: 'ApprovalPolicy',
    metadata: { name: 'people' },
    spec: { subjects: [{ kind: 'Agent', name: 'scripted' }], ...spec },
  }
  writeFileSync(path, JSON.stringify(policy))
  const { code, stderr } = await agentctl('apply', '-f', path)
  expect(`${code} ${stderr}`).toMatch(/^0 /)
}

async function waitingRun(name: string): Promise<void> {
  const started = await agentctl(
    ...['run', '--agent', 'scripted', '--text', 'Greet the reader', '--name', name, '--no-wait'],
  )
  expect(`${started.code} ${started.stderr}`).toMatch(/^0 /)
  await expect
    .poll(async () => (await agentctl('approvals')).stdout, { timeout: 200_000 })
    .toContain(`agentrun/${name}`)
  const { stdout } = await agentctl('get', 'approvalrequests', '-o', 'json')
  const [request] = JSON.parse(stdout).items
  user = request.spec.requestedBy
}

test('a request is listed, shown, and approved or denied', async () => {
  await withPolicy({ approvers: [{ kind: 'User', name: 'nobody' }] })
  await waitingRun('first')
  expect(user).not.toBe('')

  const unasked = await agentctl('approve', 'first')
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })

  const stranger = await agentctl('approve', 'first', '--yes')
  expect(stranger.code).toBe(1)
  expect(stranger.stderr).toContain('Prompt: Greet the reader')
  expect(stranger.stderr).toContain('the decision does not count: NotAnApprover')

  const explained = await agentctl('explain', 'run', 'first')
  expect(explained.stdout).toContain('WaitingForApproval')

  await withPolicy({ approvers: [{ kind: 'User', name: user }] })
  const own = await agentctl('approve', 'first', '--yes')
  expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining('OwnRequest') })

  await withPolicy({ approvers: [{ kind: 'User', name: user }], allowSelfApproval: true })
  const approved = await agentctl('approve', 'first', '--yes', '--comment', 'fine')
  expect(`${approved.code} ${approved.stdout}`).toMatch(/^0 approved: first-/)
  const done = await agentctl(
    'wait',
    'run',
    'first',
    '--for',
    'condition=Finished',
    '--timeout',
    '60s',
  )
  expect(done.code).toBe(0)
  const after = await agentctl('explain', 'run', 'first')
  expect(after.stdout).toContain(`approved by ${user} (fine)`)
  expect((await agentctl('approvals')).stderr).toContain('No request waits for a decision')
  expect((await agentctl('approvals', '--all')).stdout).toContain('Approved')

  await waitingRun('second')
  const denied = await agentctl('deny', 'second', '--yes', '--comment', 'postponed')
  expect(`${denied.code} ${denied.stdout}`).toMatch(/^0 denied: second-/)
  await expect
    .poll(async () => (await agentctl('explain', 'run', 'second')).stdout, { timeout: 200_000 })
    .toContain('ApprovalDenied')
  const late = await agentctl('approve', 'second', '--yes')
  expect(late.code).not.toBe(0)
})
