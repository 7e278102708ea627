import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'

let platform: UsedPlatform
let forge: Server

beforeAll(async () => {
  platform = await usePlatform()
  forge = createServer((_request, response) => {
    const issue = {
      ...{ number: 1, title: 'Fix it', body: 'x', state: 'open', labels: [] },
      ...{ html_url: 'https://git.test/o/r/issues/1', updated_at: '2026-11-17T08:00:00Z' },
      user: { login: 'author' },
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([issue]))
  })
  await new Promise<void>((resolve) => forge.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  forge?.close()
})

test('agentctl source sync lists the issues of a source now, or says why not', async () => {
  const { port } = forge.address() as AddressInfo
  const path = join(platform.stateDir, 'sources.yaml')
  writeFileSync(
    path,
    `apiVersion: v1
kind: Secret
metadata: { name: forge }
stringData: { token: a-token-of-the-forge }
---
apiVersion: agents.proompteng.ai/v1alpha1
kind: VersionControlProvider
metadata: { name: tea }
spec:
  provider: gitea
  cloneBaseUrl: http://127.0.0.1:${port}
  auth: { token: { secretRef: { name: forge } } }
---
apiVersion: agents.proompteng.ai/v1alpha1
kind: ImplementationSource
metadata: { name: good }
spec:
  provider: gitea
  auth: { secretRef: { name: forge } }
  vcsRef: { name: tea }
  scope: { repository: o/r }
---
apiVersion: agents.proompteng.ai/v1alpha1
kind: ImplementationSource
metadata: { name: bad }
spec:
  provider: gitea
  auth: { secretRef: { name: forge } }
  vcsRef: { name: nobody }
  scope: { repository: o/r }
---
apiVersion: agents.proompteng.ai/v1alpha1
kind: ImplementationSource
metadata: { name: hooked }
spec:
  provider: gitea
  auth: { secretRef: { name: forge } }
  webhook: { enabled: true }
`,
  )
  const agentctl = (...args: string[]) => platform.agentctl(...args)
  expect((await agentctl('apply', '-f', path)).code).toBe(0)
  const done = await agentctl('source', 'sync', 'good')
  expect(done.stdout).toBe('good is listed: 1 open issue in the scope\n')
  const specs = await agentctl('get', 'implementationspecs', '-o', 'json')
  expect(JSON.parse(specs.stdout).items).toMatchObject([{ spec: { summary: 'Fix it' } }])
  const refused = await agentctl('source', 'sync', 'bad')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('VersionControlProvider nobody does not exist')
  const hooked = await agentctl('source', 'sync', 'hooked')
  expect(hooked.stderr).toContain('ImplementationSource hooked lists no issues')
  expect((await agentctl('source', 'sync')).code).toBe(2)
  expect((await agentctl('source', 'sink', 'good')).code).toBe(2)
  const ready = async () => {
    const { stdout } = await agentctl('get', 'implementationsource', 'good', '-o', 'json')
    const { conditions = [] } = JSON.parse(stdout).status ?? {}
    return conditions.find(({ type }: { type: string }) => type === 'Ready')?.status
  }
  await expect.poll(ready, { timeout: 200_000 }).toBe('True')
})
