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
  { namespace, since, until, model, by, limit }: UsageQuestion,
): Promise<UsageSum[]> {
  const { rows } = await sql<Row>`
    select ${keyOf(by)} as key, count(distinct run_uid) as runs, sum(tokens) as tokens,
      sum(dollars) as dollars, sum(unpriced) as unpriced
    from (
      select *, rank() over (partition by run_uid order by source_tokens desc, source) as place
      from (
        select *, sum(total_tokens) over (partition by run_uid, source) as source_tokens
        from usage_ledger
        where used_at >= ${since ?? '-infinity'}::timestamptz
          and used_at < ${until ?? 'infinity'}::timestamptz
          and (${namespace ?? null}::text is null or namespace = ${namespace ?? ''})
      ) as sources
    ) as runs
    cross join lateral (${by === 'model' || model !== undefined ? eachModel : allModels}) as parts
    where place = 1 and (${model ?? null}::text is null or model = ${model ?? ''})
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

const allModels = sql`
  select '' as model, total_tokens as tokens, micro_dollars as dollars, unpriced_tokens as unpriced`

/** What the parts do not sum up to was used by models that are not known. */
const eachModel = sql`
  with known as (
    select model, tokens, dollars, unpriced from jsonb_to_recordset(models)
      as part(model text, tokens bigint, dollars bigint, unpriced bigint)
  ), rest as (
    select '' as model, total_tokens - coalesce(sum(tokens), 0) as tokens,
      micro_dollars - coalesce(sum(dollars), 0) as dollars,
      unpriced_tokens - coalesce(sum(unpriced), 0) as unpriced
    from known
  )
  select * from known union all select * from rest where tokens > 0`

function keyOf(by: UsageGroup): RawBuilder<string> {
  if (by === 'agent') return sql`agent`
  if (by === 'namespace') return sql`namespace`
  if (by === 'model') return sql`model`
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
