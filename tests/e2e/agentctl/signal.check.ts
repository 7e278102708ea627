import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'

let platform: UsedPlatform
beforeAll(async () => {
  platform = await usePlatform()
  const manifest = {
    apiVersion: 'signals.proompteng.ai/v1alpha1',
    kind: 'Signal',
    metadata: { name: 'released' },
    spec: {
      schema: {
        type: 'object',
        required: ['environment'],
        properties: { environment: { type: 'string' } },
      },
    },
  }
  const { code, stderr } = await agentctl('apply', '-f', file('signal.json', manifest))
  expect([code, stderr]).toEqual([0, ''])
})

function agentctl(...args: string[]) {
  return platform.agentctl(...args)
}

function file(name: string, content: unknown): string {
  const path = join(platform.stateDir, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

async function deliveries() {
  const { stdout } = await agentctl('get', 'signaldeliveries', '-o', 'json')
  return JSON.parse(stdout).items as {
    readonly metadata: { readonly name: string }
    readonly spec: { readonly payload?: unknown; readonly deliveryId?: string }
  }[]
}

test('delivers a payload of the command line or of a file, and an event once', async () => {
  const payload = '{"environment": "staging", "__proto__": {"a": 9007199254740993}}'
  const first = await agentctl('signal', 'released', '--payload', payload, '--delivery-id', 'r-1')
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^signaldelivery\S*\/released-\w+ delivered\n$/),
  })
  const [stored] = await deliveries()
  const text = (await agentctl('get', 'signaldeliveries', '-o', 'json')).stdout
  expect(text).toMatch(/"__proto__": ?\{\s*"a": ?9007199254740993\s*\}/)
  const path = file('payload.json', { environment: 'production' })
  const again = await agentctl(
    'signal',
    'released',
    '--payload',
    `@${path}`,
    '--delivery-id',
    'r-1',
  )
  expect(again).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('the event was delivered before'),
  })
  expect(again.stdout).toContain(stored?.metadata.name)
  const other = await agentctl('signal', 'released', '--payload', `@${path}`, '-q')
  expect(other).toMatchObject({ code: 0, stdout: '' })
  const found = (await deliveries()).map(({ spec }) => spec.payload)
  expect(found).toContainEqual({ environment: 'production' })
  expect(found).toHaveLength(3)
})

test('a payload that the schema refuses is the outcome of the command, without its values', async () => {
  const { code, stdout, stderr } = await agentctl(
    'signal',
    'released',
    '--payload',
    '{"environment": 77}',
  )
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('spec.payload.environment does not have the type')
  expect(stderr).not.toContain('77')
})

test('what is no JSON, or an empty identifier, creates nothing', async () => {
  const before = (await deliveries()).length
  const secret = 'hunter2'
  for (const flags of [
    ['--payload', `{"password": "${secret}"`],
    ['--payload', ''],
    ['--payload', `@${file('bad.json', `{"password": ${secret}}`)}`],
    ['--payload', `@${join(platform.stateDir, 'absent.json')}`],
    ['--payload', '{"environment": "a"}', '--delivery-id', ''],
    ['--payload', '{"environment": "a"}', '--timeout', 'soon'],
  ]) {
    const { code, stderr } = await agentctl('signal', 'released', ...flags)
    expect([flags, code]).toEqual([flags, 2])
    expect(stderr).not.toContain(secret)
  }
  expect((await deliveries()).length).toBe(before)
})

test('a delivery before its Signal stays, and the command says how to take it back', async () => {
  const late = await agentctl('signal', 'unknown', '--timeout', '1s')
  expect(late.code).toBe(124)
  expect(late.stderr).toContain('Signal unknown does not exist')
  const [, name = ''] = /agentctl delete signaldelivery (unknown-\w+)/.exec(late.stderr) ?? []
  expect((await deliveries()).map(({ metadata }) => metadata.name)).toContain(name)
  const noWait = await agentctl('signal', 'unknown', '--no-wait')
  expect(noWait).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^signaldelivery\S*\/unknown-\w+\n$/),
  })
})
