import { startApiServer } from '@agents/apiserver'
import { agentRun, budget } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, startTestApi } from './testing/test-api.ts'

const at = '/v1/objects/budgets.budgets.proompteng.ai/red/shared/referrers'
const runs = 'agentruns.agents.proompteng.ai'

let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  api = await startTestApi(startApiServer)
  await create('red', 'shared', budget, { limits: { tokens: '1' } })
  await create('blue', 'shared', budget, { limits: { tokens: '1' } })
  const inline = { implementation: { inline: { text: 'x' } }, runtime: { type: 'job' } }
  const spec = { agentRef: { name: 'writer' }, ...inline }
  const policy = { budgetRef: { name: 'shared' } }
  await create('red', 'refers', agentRun, { ...spec, policy })
  await create('red', 'unrelated', agentRun, spec)
  await create('blue', 'elsewhere', agentRun, { ...spec, policy })
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

test('the runs that refer to a Budget are those of its namespace that name it', async () => {
  // The cache fills with the first request.
  await expect.poll(async () => (await api.ask(at, { token: api.adminToken })).status).toBe(200)
  await expect.poll(async () => await found(api.adminToken)).toHaveLength(1)
  const [kind] = await found(api.adminToken)
  expect(kind).toMatchObject({ kind: runs, access: 'listed', count: 1, isComplete: true })
  expect(kind.items).toMatchObject([
    { namespace: 'red', name: 'refers', fields: ['spec.policy.budgetRef'] },
  ])
})

test('a caller without the right to list runs gets no runs, and the missing right', async () => {
  const rules = [{ apiGroups: ['budgets.proompteng.ai'], resources: ['budgets'], verbs: ['get'] }]
  const token = await account(api.admin, 'red', 'budgets-only', rules)
  const { text } = await api.ask(at, { token })
  expect(text).not.toContain('refers')
  expect(await found(token)).toContainEqual({
    ...{ kind: runs, access: 'denied', count: 0, isComplete: false, items: [] },
  })
})

test('one who may not get the object learns nothing', async () => {
  const rules = [{ apiGroups: ['*'], resources: ['agentruns'], verbs: ['get', 'list'] }]
  const token = await account(api.admin, 'red', 'runs-only', rules)
  expect((await api.ask(at, { token })).status).toBe(403)
  const foreign = await account(api.admin, 'blue', 'foreign', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  ])
  expect((await api.ask(at, { token: foreign })).status).toBe(403)
})

test('one caller cannot search many times at once', async () => {
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => api.ask(at, { token: api.adminToken })),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]))
})

async function found(token: string) {
  return (await api.ask(at, { token })).json.kinds
}

async function create(
  namespace: string,
  name: string,
  declared: Parameters<typeof kindRef>[0],
  spec: object,
): Promise<void> {
  const { group, version, kind } = declared
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace }, spec }
  await api.admin.create(kindRef<KubeObject>(declared), object as KubeObject)
}
