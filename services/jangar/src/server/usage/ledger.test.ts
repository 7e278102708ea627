import { randomUUID } from 'node:crypto'
import { silentLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PastUsage, UsageLedger } from '../budgets/past-usage.ts'
import { always } from '../budgets/window.ts'
import type { Work } from '../budgets/work.ts'
import type { Database } from '../database-schema.ts'
import { migrate } from '../kysely-migrations.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { usageLedger } from './ledger.ts'

let database: TestDatabase
let db: Kysely<Database>
let ledger: UsageLedger

beforeAll(async () => {
  database = await startTestDatabase({ isEmpty: true })
  db = database.db
  ledger = usageLedger(db)
}, 240_000)

afterAll(() => database?.stop())

const now = new Date('2026-03-29T12:00:00Z')

function workOf(namespace: string, tokens: number, change: Partial<Work> = {}): Work {
  return {
    ...{ kind: 'AgentRun', key: `${namespace}/run`, uid: randomUUID(), agent: 'coder' },
    ...{ isActive: false, isFinished: true, isBlocked: false },
    used: { tokens, dollars: tokens * 2, unpriced: 0 },
    usedAt: now.getTime(),
    ...{ requests: {}, reserve: {} },
    ...change,
  } as Work
}

async function past(namespace: string, except: string[] = [], window = always) {
  const before = new Date((await ledger.now()).getTime() + 1000)
  return ledger.past({ namespace, window, except, before })
}

function tokensIn(found: readonly PastUsage[]): number {
  return found.reduce((sum, { used }) => sum + used.tokens, 0)
}

/** A fixed sequence of numbers below `below`. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

describe('the ledger of usage', () => {
  test('fails while its table does not exist, and works after the migration', async () => {
    await expect(past('none')).rejects.toThrow(/usage_ledger/)
    await migrate(db, silentLogger)
    expect(await past('none')).toEqual([])
  })

  test('counts each run once, in whatever order and however often its states are written', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const namespace = `order-${seed}`
      const next = numbers(seed)
      const runs = Array.from({ length: 10 }, () => randomUUID())
      const states = runs.flatMap((uid, at) =>
        Array.from({ length: 6 }, (_, state) => ({
          work: workOf(namespace, (at + 1) * (state + 1), { uid, key: `${namespace}/${at}` }),
          sequence: `${(state + 1) * 90}`,
        })),
      )
      const doubled = [...states, ...states]
      for (let left = doubled.length - 1; left > 0; left -= 1) {
        const other = next(left + 1)
        const [a, b] = [doubled[left], doubled[other]]
        if (a !== undefined && b !== undefined) [doubled[left], doubled[other]] = [b, a]
      }
      // At the same time too, as by a process that was replaced and has not noticed.
      for (let at = 0; at < doubled.length; at += 4) {
        const some = doubled.slice(at, at + 4)
        await Promise.all(some.map(({ work, sequence }) => ledger.record(work, sequence, now)))
      }
      expect(tokensIn(await past(namespace))).toBe(55 * 6)
    }
  })

  test('leaves out runs that are counted from the cluster', async () => {
    const [held, gone] = [workOf('held', 5), workOf('held', 7)]
    await ledger.record(held, '1', now)
    await ledger.record(gone, '1', now)
    expect(tokensIn(await past('held', [held.uid]))).toBe(7)
    expect(await ledger.known([held.uid, randomUUID()])).toEqual([held.uid])
    const before = new Date((await ledger.now()).getTime() - 60_000)
    expect(await ledger.past({ namespace: 'held', window: always, except: [], before })).toEqual([])
  })

  test('counts by window, and says whose usage it was', async () => {
    const labels = { team: 'a', odd: '\u0000' }
    const used = { tokens: 9, dollars: 3, unpriced: 4 }
    await ledger.record(workOf('scope', 9, { labels, named: 'own', used }), '1', now)
    await ledger.record(workOf('scope', 5, { usedAt: now.getTime() - 86_400_000 }), '1', now)
    const day = { start: now.getTime() - 3_600_000, end: now.getTime() + 3_600_000 }
    expect(await past('scope', [], day)).toEqual([
      { of: { agent: 'coder', labels: { team: 'a', odd: '\ufffd' }, named: 'own' }, used },
    ])
    expect(tokensIn(await past('scope'))).toBe(14)
    expect(tokensIn(await past('elsewhere'))).toBe(0)
  })

  test('never adds up two sources about one run: that which counted most counts', async () => {
    const run = workOf('sources', 100)
    await ledger.record(run, '1', now)
    const measured = async (attempt: number, tokens: number) =>
      sql`insert into usage_ledger (run_uid, attempt, source, sequence, namespace, run, agent, labels,
          total_tokens, micro_dollars, unpriced_tokens, used_at)
        values (${run.uid}, ${attempt}, 'gateway', 1, 'sources', 'run', 'coder', '{}',
          ${tokens}, 1, 0, ${now})`.execute(db)
    await measured(1, 70)
    expect(tokensIn(await past('sources'))).toBe(100)
    await measured(2, 60)
    expect(tokensIn(await past('sources'))).toBe(130)
    await expect(measured(2, 60)).rejects.toThrow(/usage_ledger_key/)
  })
})
