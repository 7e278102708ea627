import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ArchivedRuns, ArchivedSummary, RunPlace } from '../api/archived-runs.ts'
import type { RunPosition } from '../api/run-position.ts'
import type { AnyRun } from '../api/run-summary.ts'
import type { Database } from '../database-schema.ts'
import { archivedRepository } from '../migrations/run-archive-filters.ts'
import { exportRuns } from './export-runs.ts'
import { importRuns } from './import-runs.ts'
import { sumUsage } from './sum-usage.ts'
import { type TimeSpan, timeSpans } from './time-spans.ts'

type Question = Parameters<ArchivedRuns['list']>[0]
type Condition = RawBuilder<unknown>

/** The archive of a database whose schema is at least 0008; 0020 has the indexes by repository and Orchestration. */
export function readArchive(db: Kysely<Database>): ArchivedRuns {
  return {
    namespaces: () => namespacesIn(db),
    list: (question) => listArchived(db, question),
    find: async ({ kind, namespace, name, uid }) => {
      const { rows } = await sql<{ object: AnyRun }>`
        select object from run_archive where kind = ${kind.kind} and namespace = ${namespace} and name = ${name}
        ${uid === undefined ? sql`` : sql`and uid = ${uid}`}
        order by created_at desc, uid limit 1`.execute(db)
      return rows[0]?.object
    },
    locate: async (uid) => {
      const { rows } = await sql<RunPlace>`
        select kind, namespace, name from run_archive where uid = ${uid}::uuid limit 1`.execute(db)
      return rows[0]
    },
    usage: (question) => sumUsage(db, question),
    export: (question) => exportRuns(db, question),
    import: (runs) => importRuns(db, runs),
  }
}

/** Jumps from one namespace to the next in the index: a plain `distinct` reads every run. */
async function namespacesIn(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await sql<{ namespace: string }>`
    with recursive found as (
      (select min(namespace) as namespace from run_archive)
      union all
      select (select min(namespace) from run_archive where namespace > found.namespace) from found
      where found.namespace is not null
    )
    select namespace from found where namespace is not null`.execute(db)
  return rows.map(({ namespace }) => namespace)
}

/**
 * Searches from the newest months back, three times as many each time, until the page is full. So a frequent word
 * costs the runs of a month, and a rare one a few queries.
 */
async function listArchived(
  db: Kysely<Database>,
  question: Question,
): Promise<readonly ArchivedSummary[]> {
  const conditions = conditionsOf(question)
  if (conditions === 'nothing') return []
  const found: ArchivedSummary[] = []
  const first = question.after?.createdAt ?? question.until
  for (const span of timeSpans(await monthsOf(db), first, question.since)) {
    const where = sql.join([...conditions, ...within(span), sql`true`], sql` and `)
    const table = span.partition === undefined ? 'run_archive' : `run_archive_${span.partition}`
    const matching = sql`select summary, uid, created_at from ${sql.table(table)} where ${where}`
    const { rows } = await sql<{ summary: string }>`
      with matching as ${isFenced(question, span) ? sql`materialized` : sql`not materialized`} (${matching})
      select summary from matching
      order by created_at desc, uid limit ${question.limit - found.length}`
      .execute(db)
      .catch((error: unknown) => {
        if (isMissingTable(error) && span.partition !== undefined) return { rows: [] }
        throw error
      })
    for (const { summary } of rows) found.push(new FoundRun(summary))
    if (found.length >= question.limit) break
  }
  return found
}

/**
 * Whether all matches of a span are looked up before they are sorted. PostgreSQL takes rare words and labels for more
 * frequent than they are, and would read every run in order until the page is full. When newer months had too few, they
 * are rare.
 */
function isFenced({ labels, words }: Question, { partition }: TimeSpan): boolean {
  return partition === undefined && labels.length + words.length > 0
}

/** An administrator may drop a partition between the two queries. */
function isMissingTable(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === '42P01'
}

/** The position is read when it is asked for: of a page of thousands, often only the last one is. */
class FoundRun implements ArchivedSummary {
  readonly summary: string
  #position: RunPosition | undefined

  constructor(summary: string) {
    this.summary = summary
  }

  get position(): RunPosition {
    if (this.#position === undefined) {
      const { createdAt, uid } = JSON.parse(this.summary) as RunPosition
      this.#position = { createdAt, uid }
    }
    return this.#position
  }
}

/** The months that have a partition, the newest first, as `202611`. */
async function monthsOf(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await sql<{ month: string }>`
    select substr(relname, length('run_archive_') + 1) as month
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'run_archive'::regclass order by month desc`.execute(db)
  return rows.map(({ month }) => month)
}

function within({ from, before }: TimeSpan): Condition[] {
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${from}::timestamptz`]),
    ...(before === undefined ? [] : [sql`created_at < ${before}::timestamptz`]),
  ]
}

function conditionsOf(question: Question): Condition[] | 'nothing' {
  const { visible, after, phase, agent, orchestration, repository, labels, words } = question
  const { since, until, except } = question
  const scope = visibleOnly(visible)
  if (scope === 'nothing') return 'nothing'
  return [
    ...scope,
    ...(phase === undefined ? [] : [sql`phase = ${phase}`]),
    ...(agent === undefined ? [] : [sql`kind = 'AgentRun' and agent = ${agent}`]),
    ...(orchestration === undefined
      ? []
      : [sql`kind = 'OrchestrationRun' and orchestration = ${orchestration}`]),
    ...(repository === undefined ? [] : [sql`${archivedRepository} = ${repository}`]),
    ...(labels.length === 0 ? [] : [sql`labels @> ${labels}::text[]`]),
    ...(words.length === 0 ? [] : [sql`search @@ ${wordQuery(words)}::tsquery`]),
    ...(since === undefined ? [] : [sql`created_at >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql`created_at < ${until}::timestamptz`]),
    ...(after === undefined
      ? []
      : [
          sql`created_at <= ${after.createdAt}::timestamptz`,
          sql`(created_at < ${after.createdAt}::timestamptz or uid > ${after.uid}::uuid)`,
        ]),
    ...(except.length === 0 ? [] : [sql`uid <> all(${except}::uuid[])`]),
  ]
}

/** Exactly what the caller may list. */
function visibleOnly(visible: Question['visible']): Condition[] | 'nothing' {
  const scopes = visible.filter(({ namespaces }) => namespaces.length > 0)
  if (scopes.length === 0) return 'nothing'
  const groups = Map.groupBy(scopes, ({ namespaces }) =>
    namespaces === 'all' ? 'all' : JSON.stringify(namespaces.toSorted()),
  )
  const choices = [...groups.values()].map((group) => {
    const kinds = group.map(({ kind }) => kind.kind)
    const namespaces = group[0]?.namespaces ?? []
    // One value is an equality, so that the index also gives the order.
    const inKinds = kinds.length === 1 ? sql`kind = ${kinds[0]}` : sql`kind = any(${kinds}::text[])`
    if (namespaces === 'all') return inKinds
    return namespaces.length === 1
      ? sql`(${inKinds} and namespace = ${namespaces[0]})`
      : sql`(${inKinds} and namespace = any(${namespaces}::text[]))`
  })
  return [sql`(${sql.join(choices, sql` or `)})`]
}

/** The words are quoted, so that none is an operator. */
function wordQuery(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`).join(' & ')
}
