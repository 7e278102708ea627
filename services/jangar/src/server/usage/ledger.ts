import { type Labels, parseKey } from '@agents/kube'
import { type Kysely, sql } from 'kysely'
import { jsonbText } from '../archive/jsonb-text.ts'
import type { PastQuestion, PastUsage, UsageLedger } from '../budgets/past-usage.ts'
import type { Database } from '../database-schema.ts'

/** The runs' own reports. A gateway that measures usage will be another source. */
const source = 'runner'
/** The status of a run is the sum of its attempts. */
const allAttempts = 0

/** The ledger in PostgreSQL. Queries fail while the database is away or has an older schema. */
export function usageLedger(db: Kysely<Database>): UsageLedger {
  return {
    record: async (work, sequence, now) => {
      const { namespace = '', name } = parseKey(work.key)
      const state = {
        sequence,
        ...{ namespace, run: name, agent: work.agent ?? '', budget: work.named ?? null },
        labels: jsonbText(work.labels ?? {}),
        total_tokens: work.used.tokens,
        micro_dollars: work.used.dollars,
        unpriced_tokens: work.used.unpriced,
        models: jsonbText(work.models ?? []),
        used_at: new Date(work.usedAt ?? now.getTime()),
      }
      await db
        .insertInto('usage_ledger')
        .values({ run_uid: work.uid, attempt: allAttempts, source, ...state })
        .onConflict((conflict) =>
          conflict
            .columns(['run_uid', 'attempt', 'source'])
            .doUpdateSet(state)
            .whereRef('usage_ledger.sequence', '<', 'excluded.sequence'),
        )
        .execute()
    },
    now: async () => {
      const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
      return rows[0]?.now ?? new Date(0)
    },
    known: async (uids) => {
      if (uids.length === 0) return []
      const { rows } = await sql<{ run_uid: string }>`
        select distinct run_uid from usage_ledger where run_uid = any(${uids}::uuid[])`.execute(db)
      return rows.map(({ run_uid }) => run_uid)
    },
    past: (question) => pastUsage(db, question),
  }
}

interface PastRow {
  readonly agent: string
  readonly budget: string | null
  readonly labels: Labels
  readonly tokens: string
  readonly dollars: string
  readonly unpriced: string
}

/** Of each run, the source that counted most counts alone. */
async function pastUsage(
  db: Kysely<Database>,
  { namespace, window: { start, end }, except, before }: PastQuestion,
): Promise<PastUsage[]> {
  const { rows } = await sql<PastRow>`
    select agent, budget, labels, sum(tokens) as tokens, sum(dollars) as dollars,
      sum(unpriced) as unpriced
    from (
      select distinct on (run_uid) *
      from (
        select run_uid, source, agent, budget, labels, sum(total_tokens) as tokens,
          sum(micro_dollars) as dollars, sum(unpriced_tokens) as unpriced
        from usage_ledger
        where namespace = ${namespace}
          and used_at >= ${timeOf(start)}::timestamptz and used_at < ${timeOf(end)}::timestamptz
          and recorded_at < ${before}
          and run_uid <> all(${except}::uuid[])
        group by run_uid, source, agent, budget, labels
      ) as sources
      order by run_uid, tokens desc
    ) as runs
    group by agent, budget, labels`.execute(db)
  return rows.map(({ agent, budget, labels, tokens, dollars, unpriced }) => ({
    of: { agent, labels, named: budget ?? undefined },
    used: { tokens: Number(tokens), dollars: Number(dollars), unpriced: Number(unpriced) },
  }))
}

function timeOf(ms: number): string {
  if (Number.isFinite(ms)) return new Date(ms).toISOString()
  return ms < 0 ? '-infinity' : 'infinity'
}
