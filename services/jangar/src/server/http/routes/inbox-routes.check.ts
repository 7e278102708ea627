import { createHash } from 'node:crypto'
import { startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { settleDelivery, storeDeliveries, takeDeliveries } from '../../inbox/inbox.ts'
import { type OpenDeliveries, openDeliveries } from '../../inbox/open-deliveries.ts'
import { startTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { account, startTestApi } from '../testing/test-api.ts'

const resources = ['implementationsources']
const apiGroups = ['agents.proompteng.ai']
const list = { apiGroups, resources, verbs: ['list'] }
const updateAnother = { apiGroups, resources, verbs: ['update'], resourceNames: ['another'] }
const hidden = 'glpat-a-token-in-the-text-of-an-issue'

let database: TestDatabase
let deliveries: OpenDeliveries
let api: Awaited<ReturnType<typeof startTestApi>>
let without: Awaited<ReturnType<typeof startTestApi>>
let reader: string
let operator: string

beforeAll(async () => {
  database = await startTestDatabase()
  deliveries = await openDeliveries(database.config, silentLogger)
  api = await startTestApi(startApiServer, { deliveries })
  without = await startTestApi(startApiServer)
  reader = await account(api.admin, 'red', 'reader', [list, updateAnother])
  operator = await account(api.admin, 'red', 'operator', [{ ...list, verbs: ['list', 'update'] }])
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await without?.stop()
  await deliveries?.close()
  await database?.stop()
})

beforeEach(async () => {
  await database.db.deleteFrom('webhook_inbox').execute()
})

async function store(subject: string, namespace = 'red', source = 'issues'): Promise<string> {
  const payload = Buffer.from(`${subject} ${hidden}`)
  const digest = createHash('sha256').update(payload).digest()
  const uid = `00000000-0000-4000-8000-0000000000${namespace === 'red' ? '01' : '02'}`
  await storeDeliveries(database.db, [
    {
      ...{ sourceUid: uid, namespace, source, provider: 'gitlab', event: 'Issue Hook' },
      ...{ deliveryId: 'of-the-sender', subject, digest, payload },
    },
  ])
  const rows = database.db.selectFrom('webhook_inbox').select('id').where('subject', '=', subject)
  return (await rows.executeTakeFirstOrThrow()).id
}

async function die(error: string): Promise<void> {
  for (const taken of await takeDeliveries(database.db, 10)) {
    await settleDelivery(database.db, taken, { kind: 'dead', error })
  }
}

function replay(namespace: string, id: string, token: string) {
  return api.ask(`/v1/inbox/${namespace}/${id}/replay`, { method: 'POST', token })
}

describe('the inbox', () => {
  test('is listed newest first, by state and source, in pages, and without contents', async () => {
    const one = await store('o/r#1')
    await die('the name is taken')
    const two = await store('o/r#2')
    await store('o/r#3', 'blue')
    await store('o/r#4', 'red', 'another')
    const ids = async (query: string, token = reader) => {
      const { json, text } = await api.ask(`/v1/inbox?${query}`, { token })
      expect(text).not.toContain(hidden)
      return (json as { items: { id: string }[] }).items.map(({ id }) => id)
    }
    expect(await ids('namespace=red&source=issues')).toEqual([two, one])
    expect(await ids('namespace=red&state=dead')).toEqual([one])
    expect(await ids('', api.adminToken)).toHaveLength(4)
    const page = await api.ask('/v1/inbox?namespace=red&limit=2', { token: reader })
    const { next } = page.json as { next: string }
    expect(next).toBe(two)
    expect(await ids(`namespace=red&limit=2&before=${next}`)).toEqual([one])
    const { json, text } = await api.ask(`/v1/inbox/red/${one}`, { token: reader })
    expect(json).toMatchObject({
      ...{ id: one, source: 'issues', subject: 'o/r#1', deliveryId: 'of-the-sender' },
      ...{ state: 'dead', reason: 'the name is taken', attempts: 1, sizeBytes: 43 },
    })
    expect(text).not.toContain(hidden)
  })

  test('shows each caller what belongs to sources that it may list', async () => {
    const [mine, theirs] = [await store('o/r#1'), await store('o/r#2', 'blue')]
    const status = async (path: string, token = reader) =>
      (await api.ask(`/v1/inbox${path}`, { token })).status
    expect(await status('')).toBe(403)
    expect(await status('?namespace=blue')).toBe(403)
    expect(await status(`/blue/${theirs}`)).toBe(403)
    expect(await status(`/red/${mine}`)).toBe(200)
    // The identifier belongs to a delivery of another namespace.
    expect(await status(`/red/${theirs}`)).toBe(404)
    expect(await status('/red/0')).toBe(400)
    expect(await status('/red/9223372036854775808')).toBe(400)
  })

  test('replays what is dead, for those who may change its source', async () => {
    const id = await store('o/r#1')
    expect((await replay('red', id, operator)).status).toBe(409)
    await die('the name is taken')
    const refused = await replay('red', id, reader)
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.text).toContain('may not update ImplementationSource issues')
    const { status, json } = await replay('red', id, operator)
    expect([status, json]).toMatchObject([200, { state: 'waiting', attempts: 0 }])
    expect((json as { reason?: string }).reason).toBeUndefined()
    const [taken] = await takeDeliveries(database.db, 10)
    expect(String(taken?.payload)).toContain(hidden)
    if (taken) await settleDelivery(database.db, taken, { kind: 'done' })
    // Its content is gone.
    expect((await replay('red', id, operator)).status).toBe(409)
  })

  test('does not exist without a database', async () => {
    const { status } = await without.ask('/v1/inbox', { token: without.adminToken })
    expect(status).toBe(404)
  })
})
