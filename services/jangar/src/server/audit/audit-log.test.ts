import { randomUUID } from 'node:crypto'
import { systemClock } from '@agents/controller'
import { createLogger, silentLogger } from '@agents/log'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../database-schema.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { type Act, chained, emptyHead } from './audit-entry.ts'
import { AuditLog } from './audit-log.ts'
import { listAudit, verifyAudit } from './read-audit.ts'

let database: TestDatabase
let db: Kysely<Database>

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
}, 240_000)

afterAll(() => database?.stop())

beforeEach(async () => {
  await sql`truncate audit_events`.execute(db)
  await sql`update audit_head set seq = 0, hash = ''`.execute(db)
})

describe('the audit log', () => {
  test('has one chain, without a gap or a double, of two control planes', async () => {
    const other = await database.open()
    const logs = [auditLog(db), auditLog(other)]
    const acts = Array.from({ length: 400 }, (_, at) => act(at))
    await Promise.all(acts.map((each, at) => logs[at % 2]?.record(each)))
    await other.destroy()
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 400 })
    const stored = await listAudit(db, { ...everything, limit: 1000 })
    expect(new Set(stored.map(({ request }) => request))).toEqual(
      new Set(acts.map(({ request }) => request)),
    )
    expect(stored[0]).toMatchObject({ seq: 400, outcome: expect.any(String) })
  })

  test('stores an act once, although it is sent again', async () => {
    const log = auditLog(db)
    const twice = act(1)
    await log.record(twice)
    await auditLog(db).record(twice)
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 1 })
  })

  test('keeps entries while the database cannot store them', async () => {
    const lines: string[] = []
    const log = auditLog(db, createLogger({ sink: { write: (line) => lines.push(line) } }))
    await sql`alter table audit_events rename to hidden`.execute(db)
    const stored = Promise.all([log.record(act(1)), log.record(act(2))])
    await expect.poll(() => lines.join('')).toContain('audit not written')
    await sql`alter table hidden rename to audit_events`.execute(db)
    await stored
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 2 })
  })

  test('stores names that PostgreSQL would refuse', async () => {
    await auditLog(db).record({ ...act(1), actor: 'a\0b\ud83d' })
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 1 })
  })
})

describe('verify', () => {
  const size = 12
  /** What somebody with rights in the database may do to one row. */
  const harm = fc.oneof(
    fc.record({
      seq: fc.integer({ min: 1, max: size }),
      does: fc.constantFrom(
        ...([
          "set actor = actor || 'x'",
          "set action = 'other'",
          'set namespace = null',
          "set name = coalesce(name, '') || 'x'",
          "set outcome = case outcome when 'denied' then 'allowed' else 'denied' end",
          'set code = code + 1',
          "set at = at + interval '1 millisecond'",
          'set request = gen_random_uuid()',
          "set hash = repeat('0', 64)",
        ] as const),
      ),
    }),
    fc.record({ seq: fc.integer({ min: 1, max: size }), does: fc.constant('delete' as const) }),
    fc.record({
      seq: fc.integer({ min: 1, max: size - 1 }),
      does: fc.constant('swap' as const),
      with: fc.integer({ min: 2, max: size }),
    }),
  )

  test('names the row that was changed, removed or moved, wherever it is', async () => {
    await Promise.all(Array.from({ length: size }, (_, at) => auditLog(db).record(act(at))))
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: size })
    await fc.assert(
      fc.asyncProperty(harm, async (given) => {
        const other = 'with' in given ? given.with : given.seq
        fc.pre(given.does !== 'swap' || other > given.seq)
        await sql`create table if not exists kept_rows as select * from audit_events`.execute(db)
        if (given.does === 'delete') {
          await sql`delete from audit_events where seq = ${given.seq}`.execute(db)
        } else if (given.does === 'swap') {
          await sql`update audit_events set seq = -1 where seq = ${given.seq}`.execute(db)
          await sql`update audit_events set seq = ${given.seq} where seq = ${other}`.execute(db)
          await sql`update audit_events set seq = ${other} where seq = -1`.execute(db)
        } else {
          await sql`update audit_events ${sql.raw(given.does)} where seq = ${given.seq}`.execute(db)
        }
        const verdict = await verifyAudit(db)
        await sql`truncate audit_events`.execute(db)
        await sql`insert into audit_events select * from kept_rows`.execute(db)
        expect(verdict).toMatchObject({ ok: false, entry: given.seq })
      }),
      { numRuns: 60 },
    )
    await sql`drop table kept_rows`.execute(db)
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: size })
  })

  test('shows an end that was cut off', async () => {
    for (let at = 0; at < 5; at += 1) await auditLog(db).record(act(at))
    const { head } = await verifyAudit(db)
    await sql`delete from audit_events where seq > 3`.execute(db)
    expect(await verifyAudit(db)).toMatchObject({ ok: false, entry: 4 })
    // Whoever also changes the recorded end is shown by an anchor that was kept elsewhere.
    await sql`update audit_head set seq = 3, hash = (select hash from audit_events where seq = 3)`.execute(
      db,
    )
    expect(await verifyAudit(db)).toMatchObject({ ok: true, entries: 3 })
    expect(await verifyAudit(db, head)).toMatchObject({ ok: false, entry: 4 })
    for (let at = 0; at < 2; at += 1) await auditLog(db).record(act(at))
    expect(await verifyAudit(db, head)).toMatchObject({ ok: false, entry: 5 })
  })

  test('shows a changed row whose own hash was made to fit', async () => {
    for (let at = 0; at < 3; at += 1) await auditLog(db).record(act(at))
    const [first] = (await listAudit(db, { ...everything, limit: 3 })).toReversed()
    if (first === undefined) throw new Error('there is no entry')
    const { hash } = chained(emptyHead, { ...first, actor: 'somebody else' })
    await sql`update audit_events set actor = 'somebody else', hash = ${hash} where seq = 1`.execute(
      db,
    )
    // The next entry has the hash of what stood there before.
    expect(await verifyAudit(db)).toMatchObject({ ok: false, entry: 2 })
    await sql`truncate audit_events`.execute(db)
    expect(await verifyAudit(db)).toMatchObject({ ok: false, entry: 1 })
  })
})

const everything = {
  ...{ namespace: undefined, actor: undefined, action: undefined, outcome: undefined },
  before: undefined,
}

function auditLog(database: Kysely<Database>, log = silentLogger): AuditLog {
  return new AuditLog({ db: database, clock: systemClock, log })
}

function act(at: number): Act {
  return {
    at: new Date(1_700_000_000_000 + at).toISOString(),
    actor: `system:serviceaccount:red:reader-${at % 3}`,
    action: 'getRun',
    namespace: 'red',
    name: at % 2 === 0 ? null : `run-${at}`,
    outcome: at % 5 === 0 ? 'denied' : 'allowed',
    code: at % 5 === 0 ? 403 : 200,
    request: randomUUID(),
  }
}
