import { startApiServer } from '@agents/apiserver'
import { agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { account, startTestApi } from '../testing/test-api.ts'

const runs = kindRef<KubeObject>(agentRun)
const reading = [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }]

let api: Awaited<ReturnType<typeof startTestApi>>
let reader: string
let stranger: string

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  reader = await account(api.admin, 'red', 'reader', reading)
  stranger = await account(api.admin, 'blue', 'reader', reading)
  await api.admin.create(runs, {
    ...{ apiVersion: `${runs.group}/${runs.version}`, kind: runs.kind },
    metadata: { namespace: 'red', name: 'mended', labels: { team: 'x' } },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'mend the gate' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
  const run = await api.admin.get(runs, { namespace: 'red', name: 'mended' })
  const status = { vcs: { repository: 'Org/Shop' } }
  await api.admin.update(runs, { ...run, status } as KubeObject, { subresource: 'status' })
  const isListed = async () => expect(await found({ repository: 'org/shop' })).toHaveLength(1)
  await vi.waitFor(isListed, { timeout: 20_000 })
}, 120_000)

afterAll(() => api?.stop())

async function search(given: object, token: string) {
  const params = { name: 'search_runs', arguments: given }
  const { json } = await api.ask('/mcp', {
    ...{ method: 'POST', token, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return json.result
}

async function found(given: object, token = reader): Promise<readonly string[]> {
  const { content } = await search(given, token)
  return JSON.parse(content[0].text).items.map(({ name }: { name: string }) => name)
}

const past = '2020-01-01T00:00:00Z'

test.each([
  { given: { text: 'gate MEND' }, names: ['mended'] },
  { given: { text: 'gate nothing' }, names: [] },
  { given: { repository: 'ORG/shop.git', namespace: 'red', limit: 1 }, names: ['mended'] },
  { given: { repository: 'org/other' }, names: [] },
  { given: { labels: ['team=x'], since: past }, names: ['mended'] },
  { given: { labels: ['team=x', 'tier'] }, names: [] },
  { given: { repository: 'org/shop', until: past }, names: [] },
  { given: { agent: 'writer', source: 'cluster' }, names: ['mended'] },
  { given: { source: 'archive' }, names: [] },
])('search_runs finds runs by $given', async ({ given, names }) => {
  expect(await found(given)).toEqual(names)
  expect(await found({ ...given, namespace: undefined }, stranger)).toEqual([])
})

test('search_runs tells a stranger the same about runs that exist and that do not', async () => {
  for (const given of [{ text: 'mend' }, { repository: 'org/shop' }, { labels: ['team'] }]) {
    const inRed = await search({ ...given, namespace: 'red' }, stranger)
    expect(inRed).toMatchObject({ isError: true })
    expect(inRed).toEqual(await search({ text: 'nowhere', namespace: 'red' }, stranger))
    expect(await search(given, stranger)).toEqual(await search({ text: 'nowhere' }, stranger))
  }
})
