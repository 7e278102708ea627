import { startApiServer } from '@agents/apiserver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

const read = [
  { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs: ['get', 'list'] },
]

let api: Awaited<ReturnType<typeof startTestApi>>
let reader: string

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  reader = await account(api.admin, 'red', 'reader', read)
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

describe('what the caller may do', () => {
  const act = (verb: string, namespace?: string) => ({
    ...{ verb, group: 'agents.proompteng.ai', resource: 'agentruns' },
    ...(namespace && { namespace }),
  })
  const asked = (acts: readonly object[], token = reader) =>
    api.ask('/v1/access', {
      ...{ method: 'POST', token, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ acts }),
    })

  test('is answered for each act, with the right that is missing', async () => {
    const { status, json } = await asked([
      act('list', 'red'),
      act('create', 'red'),
      act('list', 'blue'),
      act('list'),
      { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: 'red' },
    ])
    expect(status).toBe(200)
    expect(json.acts).toEqual([
      { allowed: true },
      { allowed: false, missing: 'create agentruns.agents.proompteng.ai in namespace red' },
      { allowed: false, missing: 'list agentruns.agents.proompteng.ai in namespace blue' },
      { allowed: false, missing: 'list agentruns.agents.proompteng.ai in all namespaces' },
      { allowed: false, missing: 'get pods/log in namespace red' },
    ])
    expect((await asked([act('list')], api.adminToken)).json.acts).toEqual([{ allowed: true }])
  })

  test.each([
    { because: 'no token', sent: [act('list')], token: 'wrong', status: 401 },
    { because: 'too many acts', sent: Array(101).fill(act('list')), status: 400 },
    { because: 'no verb', sent: [{ group: '', resource: 'pods' }], status: 400 },
    { because: 'another field', sent: [{ ...act('list'), user: 'admin' }], status: 400 },
    { because: 'a strange resource', sent: [{ ...act('list'), resource: '../x' }], status: 400 },
  ])('$because: $status', async ({ sent, token = reader, status }) => {
    expect((await asked(sent, token)).status).toBe(status)
  })
})
