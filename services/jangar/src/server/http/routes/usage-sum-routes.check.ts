import { randomUUID } from 'node:crypto'
import { startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ArchiveReader, openReader } from '../../archive/open-reader.ts'
import type { Work } from '../../budgets/work.ts'
import type { Database } from '../../database-schema.ts'
import { startTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { usageLedger } from '../../usage/ledger.ts'
import { account, startTestApi } from '../testing/test-api.ts'

const read = { apiGroups: ['agents.proompteng.ai'], resources: ['agentruns'], verbs: ['list'] }

let database: TestDatabase
let db: Kysely<Database>
let reader: ArchiveReader
let api: Awaited<ReturnType<typeof startTestApi>>
let redReader: string

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
  reader = await openReader(database.config, silentLogger)
  api = await startTestApi(startApiServer, { archive: reader.runs })
  redReader = await account(api.admin, 'red', 'reader', [read])
  await record('red', 'coder', 100, '2026-03-01T23:30:00Z', { team: 'a' })
  await record('red', 'coder', 50, '2026-03-02T00:30:00Z', { team: 'b' })
  await record('red', '=HYPERLINK("x")', 7, '2026-03-02T10:00:00Z', {}, 7)
  await record('blue', 'writer', 1000, '2026-03-02T12:00:00Z', { team: 'a' })
  await record('mixed', 'coder', 100, '2026-03-03T00:00:00Z', {}, 0, { big: 60, small: 30 })
  await record('mixed', 'coder', 50, '2026-03-04T00:00:00Z', {}, 0, { small: 50 })
  await record('mixed', 'writer', 5, '2026-03-04T00:00:00Z', {})
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await reader?.close()
  await database?.stop()
})

/** Of priced tokens, each costs two millionths of a dollar. */
async function record(
  namespace: string,
  agent: string,
  tokens: number,
  at: string,
  labels: object,
  unpriced = 0,
  byModel: Readonly<Record<string, number>> = {},
): Promise<void> {
  const used = { tokens, dollars: (tokens - unpriced) * 2, unpriced }
  const key = `${namespace}/run`
  const models = Object.entries(byModel).map(([model, part]) => ({
    ...{ model, tokens: part, dollars: part * 2, unpriced: 0 },
  }))
  const work = { key, uid: randomUUID(), agent, labels, used, models, usedAt: Date.parse(at) }
  // A state that is written twice counts once.
  for (const sequence of ['1', '1', '2']) {
    await usageLedger(db).record(work as unknown as Work, sequence, new Date(at))
  }
}

async function sums(query: string, token = api.adminToken) {
  const { status, json } = await api.ask(`/v1/usage${query}`, { token })
  return { status, items: (json as { items?: unknown }).items }
}

describe('the usage of runs', () => {
  test.each([
    {
      query: '?namespace=red',
      expected: [
        ['coder', 2, 150, '0.0003', 0],
        ['=HYPERLINK("x")', 1, 7, '0', 7],
      ],
    },
    {
      query: '?by=namespace',
      expected: [
        ['blue', 1, 1000, '0.002', 0],
        ['red', 3, 157, '0.0003', 7],
        ['mixed', 3, 155, '0.00031', 0],
      ],
    },
    {
      query: '?namespace=red&by=day',
      expected: [
        ['2026-03-01', 1, 100, '0.0002', 0],
        ['2026-03-02', 2, 57, '0.0001', 7],
      ],
    },
    {
      query: '?by=label&label=team&limit=2',
      expected: [
        ['a', 2, 1100, '0.0022', 0],
        ['', 4, 162, '0.00031', 7],
      ],
    },
    {
      query: '?namespace=red&by=label&label=team&limit=2',
      expected: [
        ['a', 1, 100, '0.0002', 0],
        ['b', 1, 50, '0.0001', 0],
      ],
    },
    {
      query: '?by=namespace&since=2026-03-02T00:00:00Z&until=2026-03-02T10:00:00Z',
      expected: [['red', 1, 50, '0.0001', 0]],
    },
    {
      query: '?namespace=mixed&by=model',
      expected: [
        ['small', 2, 80, '0.00016', 0],
        ['big', 1, 60, '0.00012', 0],
        ['', 2, 15, '0.00003', 0],
      ],
    },
    {
      query: '?namespace=mixed&by=day&model=small',
      expected: [
        ['2026-03-04', 1, 50, '0.0001', 0],
        ['2026-03-03', 1, 30, '0.00006', 0],
      ],
    },
    {
      query: '?namespace=mixed&by=agent&model=',
      expected: [
        ['coder', 1, 10, '0.00002', 0],
        ['writer', 1, 5, '0.00001', 0],
      ],
    },
    { query: '?namespace=mixed&by=agent&model=none', expected: [] },
    { query: '?namespace=red&by=model', expected: [['', 3, 157, '0.0003', 7]] },
    { query: '?namespace=empty', expected: [] },
  ])('is summed up: $query', async ({ query, expected }) => {
    const items = expected.map(([group, runs, tokens, dollars, unpricedTokens]) => ({
      ...{ group, runs, tokens, dollars, unpricedTokens },
    }))
    expect(await sums(query)).toEqual({ status: 200, items })
  })

  test('of a run that several sources count is that of the largest', async () => {
    const uid = randomUUID()
    for (const [source, tokens] of Object.entries({ runner: 10, gateway: 30 })) {
      await sql`insert into usage_ledger (run_uid, attempt, source, sequence, namespace, run, agent,
        labels, total_tokens, micro_dollars, unpriced_tokens, used_at)
        values (${uid}, 0, ${source}, 1, 'green', 'run', 'coder', '{}', ${tokens}, 0, 0, now())`.execute(
        db,
      )
    }
    const { items } = await sums('?namespace=green')
    expect(items).toMatchObject([{ group: 'coder', runs: 1, tokens: 30 }])
  })

  test('of a run whose models several sources name is that of the largest', async () => {
    const uid = randomUUID()
    const parts = {
      runner: [{ model: 'a', tokens: 20, dollars: 0, unpriced: 0 }],
      gateway: [10, 20].map((tokens) => ({
        model: `b-${tokens}`,
        tokens,
        dollars: 0,
        unpriced: 0,
      })),
    }
    for (const [source, models] of Object.entries(parts)) {
      const total = models.reduce((sum, { tokens }) => sum + tokens, 0)
      await sql`insert into usage_ledger (run_uid, attempt, source, sequence, namespace, run, agent,
        labels, total_tokens, micro_dollars, unpriced_tokens, used_at, models)
        values (${uid}, 0, ${source}, 1, 'yellow', 'run', 'coder', '{}', ${total}, 0, 0, now(),
          ${JSON.stringify(models)})`.execute(db)
    }
    const { items } = await sums('?namespace=yellow&by=model')
    expect(items).toMatchObject([
      { group: 'b-20', runs: 1, tokens: 20 },
      { group: 'b-10', runs: 1, tokens: 10 },
    ])
  })

  test('is a table, in which no name is a formula', async () => {
    const { text, headers } = await api.ask('/v1/usage.csv?namespace=red', { token: redReader })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(text).toBe(
      'group,runs,tokens,dollars,unpricedTokens\r\n' +
        'coder,2,150,0.0003,0\r\n' +
        `"'=HYPERLINK(""x"")",1,7,0,7\r\n`,
    )
  })

  test.each([
    { query: '?namespace=red', because: 'of this namespace', status: 200 },
    { query: '?namespace=blue', because: 'of another one', status: 403 },
    { query: '', because: 'of the cluster', status: 403 },
    { query: '?namespace=red&by=label', because: 'without the label', status: 400 },
    { query: '?namespace=red&label=team', because: 'with a label for agents', status: 400 },
    { query: '?namespace=red&by=label&label=a%27b', because: 'with no label', status: 400 },
    { query: '?namespace=blue&by=model', because: 'of models elsewhere', status: 403 },
    { query: '?by=day&model=small', because: 'of a model in the cluster', status: 403 },
    { query: '?namespace=red&since=yesterday', because: 'since no time', status: 400 },
  ])('is for those who may list the runs: $because', async ({ query, status }) => {
    expect((await sums(query, redReader)).status).toBe(status)
  })
})
