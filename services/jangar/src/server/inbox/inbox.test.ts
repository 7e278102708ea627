import { createHash } from 'node:crypto'
import { systemClock } from '@agents/controller'
import { silentLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../database-schema.ts'
import { openDatabase } from '../db.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import {
  forgetDeliveries,
  type NewDelivery,
  settleDelivery,
  storeDeliveries,
  takeDeliveries,
} from './inbox.ts'
import { InboxWriter } from './inbox-writer.ts'

let database: TestDatabase
let db: Kysely<Database>

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
}, 240_000)

afterAll(() => database?.stop())

beforeEach(async () => {
  await db.deleteFrom('webhook_inbox').execute()
})

const red = '00000000-0000-4000-8000-000000000001'
const blue = '00000000-0000-4000-8000-000000000002'

function delivery(subject: string, text: string, sourceUid = red): NewDelivery {
  const payload = Buffer.from(text)
  return {
    ...{ sourceUid, namespace: 'red', source: 'issues', provider: 'github', event: 'issues' },
    ...{ deliveryId: text, subject, payload },
    digest: createHash('sha256').update(payload).digest(),
  }
}

function store(...deliveries: readonly NewDelivery[]) {
  return storeDeliveries(db, deliveries)
}

async function take(most = 100): Promise<readonly string[]> {
  return (await takeDeliveries(db, most)).map(({ payload }) => String(payload))
}

/** As if the attempts had begun long ago. */
async function expire(): Promise<void> {
  await sql`update webhook_inbox set next_attempt_at = now() - interval '1 second'`.execute(db)
}

describe('deliveries', () => {
  test('that are done keep the reason why they started nothing, and no content', async () => {
    await store(delivery('o/r#1', 'a'))
    const [taken] = await takeDeliveries(db, 1)
    if (taken === undefined) throw new Error('nothing was taken')
    await settleDelivery(db, taken, { kind: 'done', reason: 'trigger label started nothing' })
    const row = await db.selectFrom('webhook_inbox').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'done', error: 'trigger label started nothing' })
    expect(row.payload).toBeNull()
  })

  test('are stored once, in one list or in two, for each source', async () => {
    const one = delivery('o/r#1', 'a')
    const [two, same] = [delivery('o/r#1', 'b'), delivery('o/r#1', 'a', blue)]
    expect([...(await store(one, two, one, same))]).toEqual([0, 1, 3])
    expect([...(await store(one, two))]).toEqual([])
  })

  test('contain any bytes', async () => {
    const payload = Buffer.from([0, 255, 39, 92, 0])
    await store({ ...delivery('o/r#1', 'x'), payload })
    expect((await takeDeliveries(db, 1))[0]?.payload).toEqual(payload)
  })

  test('of one issue are taken one after the other, those of others meanwhile', async () => {
    await store(delivery('1', 'a1'), delivery('1', 'a2'), delivery('2', 'b1'), delivery('1', 'a3'))
    await store(delivery('1', 'c1', blue))
    const taken = await takeDeliveries(db, 100)
    expect(taken.map(({ payload }) => String(payload))).toEqual(['a1', 'b1', 'c1'])
    expect(await take()).toEqual([])
    const [first, , third] = taken
    if (first === undefined || third === undefined) throw new Error('nothing was taken')
    await settleDelivery(db, first, { kind: 'done' })
    expect(await take()).toEqual(['a2'])
  })

  test('are taken by one of several processes', async () => {
    await store(...Array.from({ length: 50 }, (_, at) => delivery(`${at}`, `d${at}`)))
    const all = await Promise.all(Array.from({ length: 8 }, () => take(20)))
    const taken = all.flat()
    expect(new Set(taken).size).toBe(taken.length)
    const rest: string[] = []
    for (let more = await take(); more.length > 0; more = await take()) rest.push(...more)
    expect(new Set([...taken, ...rest]).size).toBe(50)
  })

  test('are taken again when an attempt was lost, and its end counts no more', async () => {
    await store(delivery('1', 'a1'), delivery('1', 'a2'))
    const [lost] = await takeDeliveries(db, 1)
    if (lost === undefined) throw new Error('nothing was taken')
    await expire()
    const [again] = await takeDeliveries(db, 1)
    expect(again).toMatchObject({ id: lost.id, attempts: 2 })
    await settleDelivery(db, lost, { kind: 'dead', error: 'the process was slow' })
    if (again === undefined) throw new Error('nothing was taken')
    await settleDelivery(db, again, { kind: 'done' })
    const { state, error, payload } = await db
      .selectFrom('webhook_inbox')
      .selectAll()
      .where('id', '=', lost.id)
      .executeTakeFirstOrThrow()
    expect({ state, error, payload }).toEqual({ state: 'done', error: null, payload: null })
    expect(await take()).toEqual(['a2'])
  })

  test('that fail keep those behind them back until they are dead', async () => {
    await store(delivery('1', 'a1'), delivery('1', 'a2'))
    const [first] = await takeDeliveries(db, 1)
    if (first === undefined) throw new Error('nothing was taken')
    await settleDelivery(db, first, { kind: 'again', error: 'no', afterMs: 60_000 })
    expect(await take()).toEqual([])
    await expire()
    const [second] = await takeDeliveries(db, 1)
    if (second === undefined) throw new Error('nothing was taken')
    await settleDelivery(db, second, { kind: 'dead', error: 'never' })
    expect(await take()).toEqual(['a2'])
  })

  test('are forgotten after their time, unless they wait', async () => {
    await store(delivery('1', 'a1'), delivery('2', 'b1'))
    const [first] = await takeDeliveries(db, 1)
    if (first === undefined) throw new Error('nothing was taken')
    await settleDelivery(db, first, { kind: 'done' })
    expect(await forgetDeliveries(db, new Date(Date.now() - 60_000))).toBe(0)
    expect(await forgetDeliveries(db, new Date(Date.now() + 60_000))).toBe(1)
  })
})

describe('the writer', () => {
  function writer(change: object = {}) {
    const options = { db, log: silentLogger, clock: systemClock, queueSize: 1000, ...change }
    return new InboxWriter(options)
  }

  test('keeps the order of arrival, and knows what it stored', async () => {
    const inbox = writer()
    const texts = Array.from({ length: 500 }, (_, at) => `d${at}`)
    const all = await Promise.all(texts.map((text) => inbox.store(delivery('1', text))))
    expect(all.every(Boolean)).toBe(true)
    expect(await inbox.store(delivery('1', 'd7'))).toBe(false)
    const rows = await db.selectFrom('webhook_inbox').select('payload').orderBy('id').execute()
    expect(rows.map(({ payload }) => String(payload))).toEqual(texts)
  })

  test('refuses what is too much', async () => {
    const small = writer({ queueSize: 2 })
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) => small.store(delivery('1', `e${at}`))),
    )
    const refused = answers.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    const rows = await db.selectFrom('webhook_inbox').select('id').execute()
    expect(rows).toHaveLength(200 - refused.length)
  })

  test('keeps a source from filling the disk, and no other', async () => {
    await store(delivery('1', 'x'.repeat(2000)))
    const inbox = writer({ quotaBytes: 1000 })
    await inbox.store(delivery('1', 'the first one learns what waits'))
    await expect(inbox.store(delivery('1', 'y'))).rejects.toThrow('too much of this source waits')
    expect(await inbox.store(delivery('1', 'z', blue))).toBe(true)
  })

  test('says so when the database does not answer', async () => {
    const config = { url: 'postgres://a@127.0.0.1:1/x', sslMode: 'disable', sslRootCert: undefined }
    const nobody = await openDatabase(config as never, silentLogger)
    const inbox = writer({ db: nobody })
    await expect(inbox.store(delivery('1', 'n'))).rejects.toThrow('the database is not available')
    await nobody.destroy()
  })

  test('gives up on a database that hangs', async () => {
    const locked = Promise.withResolvers<void>()
    const isLocked = Promise.withResolvers<void>()
    const holding = db.transaction().execute(async (own) => {
      await sql`lock table webhook_inbox in access exclusive mode`.execute(own)
      isLocked.resolve()
      await locked.promise
    })
    await isLocked.promise
    const inbox = writer({ timeoutMs: 200 })
    await expect(inbox.store(delivery('1', 'h'))).rejects.toThrow('the database is not available')
    locked.resolve()
    await holding
    await expect.poll(() => inbox.store(delivery('1', 'h')).catch(() => true)).toBe(false)
  })
})
