import { createHash, createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'
import { until } from '../../support/testbed/until.ts'

const secret = 'the-secret-of-the-webhook'
const hidden = 'text-of-a-confidential-issue'

let platform: UsedPlatform
let port: number

beforeAll(async () => {
  platform = await usePlatform()
  port = Number(readFileSync(join(platform.stateDir, 'http-port'), 'utf8'))
  const path = join(platform.stateDir, 'source.yaml')
  writeFileSync(
    path,
    `apiVersion: v1
kind: Secret
metadata: { name: hook }
stringData: { token: ${secret} }
---
apiVersion: agents.proompteng.ai/v1alpha1
kind: ImplementationSource
metadata: { name: issues }
spec:
  provider: gitea
  auth: { secretRef: { name: hook } }
  webhook: { enabled: true }
`,
  )
  expect((await platform.agentctl('apply', '-f', path)).code).toBe(0)
}, 300_000)

function deliver(number: number, by = secret): Promise<number> {
  const body = JSON.stringify({
    action: 'opened',
    issue: {
      ...{ number, title: 'Broken', body: hidden, state: 'open', labels: [] },
      ...{ html_url: 'https://git.test/o/r/issues/1', updated_at: '2026-11-17T08:00:00Z' },
    },
    repository: { full_name: 'o/r' },
  })
  const headers = {
    'content-type': 'application/json',
    'x-gitea-event': 'issues',
    'x-gitea-signature': createHmac('sha256', by).update(body).digest('hex'),
  }
  const path = '/api/agents/implementation-sources/webhooks/gitea/agents/issues'
  return new Promise((resolve, reject) => {
    // The certificate is tested elsewhere.
    const options = { host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }
    request({ ...options, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end(body)
  })
}

async function specs(): Promise<readonly { metadata: { name: string }; spec: object }[]> {
  const { stdout } = await platform.agentctl('get', 'implementationspecs', '-o', 'json')
  return JSON.parse(stdout).items
}

test('the local platform takes deliveries, and agentctl inbox shows what became of them', async () => {
  expect(await until(async () => (await deliver(1)) === 202)).toBe(true)
  expect(await deliver(1, 'the-secret-of-somebody-else')).toBe(401)
  const [imported] = await until(async () => {
    const found = await specs()
    return found.length > 0 ? found : undefined
  })
  const row = await until(async () => {
    const { stdout } = await platform.agentctl('inbox', 'list')
    return /^(\d+) +agents +issues +issues +o\/r#1 .* done +1 +-$/m.exec(stdout)
  })
  const shown = await platform.agentctl('inbox', 'show', row[1] ?? '')
  expect(shown.stdout).toMatch(/^Subject: +o\/r#1$/m)
  expect(shown.stdout).toMatch(/^State: +done$/m)
  expect(shown.stdout).not.toContain(hidden)
  const refused = await platform.agentctl('inbox', 'replay', row[1] ?? '')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not dead')])
  expect(imported?.spec).toMatchObject({ summary: 'Broken', text: hidden })
})

test('a delivery that failed is processed again by agentctl inbox replay', async () => {
  // Somebody has the name that the issue would get.
  const digest = createHash('sha256')
    .update(JSON.stringify(['issues', 'o/r#2']))
    .digest('hex')
  const name = `o-r-2-${digest.slice(0, 10)}`
  const path = join(platform.stateDir, 'spec.yaml')
  const own = { metadata: { name }, spec: { text: 'own work' } }
  const apiVersion = 'agents.proompteng.ai/v1alpha1'
  writeFileSync(path, JSON.stringify({ apiVersion, kind: 'ImplementationSpec', ...own }))
  expect((await platform.agentctl('apply', '-f', path)).code).toBe(0)
  expect(await deliver(2)).toBe(202)
  const [line, id = ''] = await until(async () => {
    const { stdout } = await platform.agentctl('inbox', 'list', '--state', 'dead')
    return /^(\d+) +agents +issues +issues +o\/r#2 .*$/m.exec(stdout)
  })
  expect(line).toContain(`ImplementationSpec ${name} exists and was not imported by this source`)
  expect((await platform.agentctl('delete', 'implementationspec', name)).code).toBe(0)
  expect(await platform.agentctl('inbox', 'replay', id)).toMatchObject({
    ...{ code: 0, stdout: `delivery ${id} about o/r#2 will be processed again\n` },
  })
  await until(async () => (await specs()).some(({ metadata }) => metadata.name === name))
  const shown = await until(async () => {
    const { stdout } = await platform.agentctl('inbox', 'show', id)
    return /^State: +done$/m.test(stdout) ? stdout : undefined
  })
  expect(shown).toMatch(/^Reason: +-$/m)
})

test.each([
  [['inbox', 'look'], 2, 'unknown subcommand'],
  [['inbox', 'list', '1'], 2, 'list takes no identifier'],
  [['inbox', 'show'], 2, 'the identifier of a delivery is missing'],
  [['inbox', 'replay', '../audit'], 2, 'the identifier of a delivery is missing'],
  [['inbox', 'show', '999'], 1, 'there is no delivery 999'],
])('agentctl %j ends with %i: %s', async (args, code, message) => {
  const done = await platform.agentctl(...args)
  expect([done.code, done.stderr]).toEqual([code, expect.stringContaining(message)])
})
