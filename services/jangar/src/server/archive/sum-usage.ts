import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { UsageGroup, UsageQuestion, UsageSum } from '../api/archived-runs.ts'
import type { Database } from '../database-schema.ts'

interface Row {
  readonly key: string
  readonly runs: string
  readonly tokens: string
  readonly dollars: string
  readonly unpriced: string
}

/** Sums up the ledger. Of each run, the source that counted most counts alone. */
export async function sumUsage(
  db: Kysely<Database>,
  { namespace, since, until, by, limit }: UsageQuestion,
): Promise<UsageSum[]> {
  const { rows } = await sql<Row>`
    select key, count(*) as runs, sum(tokens) as tokens, sum(dollars) as dollars,
      sum(unpriced) as unpriced
    from (
      select distinct on (run_uid) key, tokens, dollars, unpriced
      from (
        select run_uid, source, ${keyOf(by)} as key, sum(total_tokens) as tokens,
          sum(micro_dollars) as dollars, sum(unpriced_tokens) as unpriced
        from usage_ledger
        where used_at >= ${since ?? '-infinity'}::timestamptz
          and used_at < ${until ?? 'infinity'}::timestamptz
          and (${namespace ?? null}::text is null or namespace = ${namespace ?? ''})
        group by run_uid, source, key
      ) as sources
      order by run_uid, tokens desc
    ) as runs
    group by key
    order by tokens desc, key
    limit ${limit}`.execute(db)
  return rows.map(({ key, runs, tokens, dollars, unpriced }) => ({
    group: key,
    runs: Number(runs),
    tokens: Number(tokens),
    dollars: dollarsOf(dollars),
    unpricedTokens: Number(unpriced),
  }))
}

function keyOf(by: UsageGroup): RawBuilder<string> {
  if (by === 'agent') return sql`agent`
  if (by === 'namespace') return sql`namespace`
  if (by === 'day') return sql`to_char(used_at at time zone 'UTC', 'YYYY-MM-DD')`
  return sql`coalesce(labels->>${by.label}::text, '')`
}

/** Millionths as dollars, without zeros at the end. */
function dollarsOf(micro: string): string {
  const digits = micro.padStart(7, '0')
  const whole = digits.slice(0, -6)
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
