/**
 * Measures lists and searches in an archive of a million runs: a real PostgreSQL, and the code that answers `GET
 * /v1/runs` without the HTTP in front of it. Beside the time that passed it shows what depends less on who else uses
 * the machine: planning and execution as PostgreSQL reports them, the blocks that it read, and the processor time of
 * our process. Takes minutes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { agentRun, orchestrationRun, toolRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { type Kysely, sql } from 'kysely'
import { listRuns, pageText } from '../../services/jangar/src/server/api/list-runs.ts'
import { openReader } from '../../services/jangar/src/server/archive/open-reader.ts'
import type { Database } from '../../services/jangar/src/server/database-schema.ts'
import { openDatabase } from '../../services/jangar/src/server/db.ts'
import { migrate } from '../../services/jangar/src/server/kysely-migrations.ts'
import { openServerTime, type ServerTime } from './archive/server-time.ts'

type ListPorts = Parameters<typeof listRuns>[0]
type Caller = Parameters<typeof listRuns>[1]
type Question = Parameters<typeof listRuns>[2]

const goals = { p50: 20, p99: 100, largePage: 50 }

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '1000000' },
      /** Over how many months the runs are spread. */
      months: { type: 'string', default: '12' },
      repeats: { type: 'string', default: '100' },
    },
  })
  const directory = await mkdtemp(join(tmpdir(), 'bench-archive-'))
  const postgres = await startPostgres({ directory, log: silentLogger })
  const config = { url: postgres.url, sslMode: undefined, sslRootCert: undefined }
  const db = await openDatabase(config, silentLogger)
  const reader = await openReader(config, silentLogger)
  const server = openServerTime(postgres.url)
  try {
    await migrate(db, silentLogger)
    await fill(db, Number(values.runs), Number(values.months))
    const repeats = Number(values.repeats)
    const ports = portsWith(reader.runs)
    const explain = (change: Change) =>
      server.explain(async (runs) => {
        await listRuns(portsWith(runs), caller, questionOf(change, 7))
      })
    let hasMissed = false
    for (const [name, change] of questions) {
      const { times, cpu } = await measure(ports, change, repeats)
      const isMissed = percentile(times, 50) > goals.p50 || percentile(times, 99) > goals.p99
      hasMissed ||= isMissed
      report(name, { times, cpu, server: await explain(change), isMissed })
    }
    const large: Change = () => ({ limit: 10_000 })
    const { times, cpu } = await measure(ports, large, repeats)
    const inServer = await explain(large)
    const isMissed = inServer.ms + percentile(cpu, 50) > goals.largePage
    report('a page of 10,000', { times, cpu, server: inServer, isMissed })
    console.log(
      `goals: p50 ≤ ${goals.p50} ms, p99 ≤ ${goals.p99} ms; 10,000: PostgreSQL and process ≤ ${goals.largePage} ms`,
    )
    if (hasMissed || isMissed) process.exitCode = 1
  } finally {
    await reader.close()
    await server.close()
    await db.destroy()
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

const namespaces = 50
const agents = 200
const repositories = 500

/** What the trigger of the archive does for each run, in bulk: into the partitions, and their indexes afterwards. */
async function fill(db: Kysely<Database>, runs: number, months: number): Promise<void> {
  const began = performance.now()
  for (let month = 0; month <= months; month += 1) {
    await sql`select run_archive_partition(now() - make_interval(secs => ${month}::int * 2629800))`.execute(
      db,
    )
  }
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename ~ '^run_archive_[0-9]+$' and indexname !~ 'pkey$'`.execute(db)
  for (const { name } of indexes) await sql`drop index ${sql.ref(name)}`.execute(db)
  const { rows: parts } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'run_archive'::regclass`.execute(db)
  for (const { name } of parts) await fillMonth(db, name, runs, months)
  await db.connection().execute(async (connection) => {
    await sql`set maintenance_work_mem = '512MB'`.execute(connection)
    for (const { definition } of indexes) await sql.raw(definition).execute(connection)
    await sql`vacuum analyze`.execute(connection)
  })
  const seconds = (performance.now() - began) / 1000
  const { rows } = await sql<{ size: string; count: string }>`
    select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) as size, (select count(*) from run_archive) as count
    from pg_inherits where inhparent = 'run_archive'::regclass`.execute(db)
  const [{ size, count } = { size: '', count: '' }] = rows
  console.log(`${count} runs over ${months} months, written in ${seconds.toFixed(0)} s, ${size}`)
}

async function fillMonth(db: Kysely<Database>, part: string, runs: number, months: number) {
  const month = `${part.slice(-6, -2)}-${part.slice(-2)}-01T00:00:00Z`
  await sql`
    insert into ${sql.table(part)} (uid, kind, namespace, name, agent, tool, orchestration, phase, reason, created_at, started_at,
      finished_at, resource_version, object, labels, search, summary)
    select uid, kind, namespace, name, case kind when 'AgentRun' then agent end,
      case kind when 'ToolRun' then agent end, case kind when 'OrchestrationRun' then agent end, phase, phase, at, at, at, i, jsonb_build_object(
        'apiVersion', 'agents.proompteng.ai/v1alpha1', 'kind', kind,
        'metadata', jsonb_build_object('name', name, 'namespace', namespace, 'creationTimestamp', at, 'labels', tags),
        'spec', jsonb_build_object(case kind when 'AgentRun' then 'agentRef' when 'ToolRun' then 'toolRef' else 'orchestrationRef' end,
          jsonb_build_object('name', agent), 'implementation', jsonb_build_object('inline',
            jsonb_build_object('text', 'Please fix issue ' || i || ' in module ' || i % 1000 || '. ' || prose))),
        'status', jsonb_build_object('vcs', jsonb_build_object('repository', repository), 'phase', phase, 'startedAt', at, 'finishedAt', at, 'conditions',
          jsonb_build_array(jsonb_build_object('type', 'Succeeded', 'reason', phase, 'message', 'The run ended.')))),
      array['team', 'team=team-' || i % 20, 'ticket', 'ticket=T-' || i / 10, 'tier', 'tier=web'],
      array_to_tsvector(array(select distinct unnest(array['run', substr(name, 5), 'agent', split_part(agent, '-', 2),
        lower(phase), 'the', 'ended', 'please', 'fix', 'issue', i::text, 'in', 'module', (i % 1000)::text]
        || string_to_array(prose, ' ')))),
      jsonb_build_object('kind', kind, 'namespace', namespace, 'name', name, 'uid', uid, 'phase', phase, 'of', agent,
        'reason', phase, 'message', 'The run ended.', 'createdAt', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'startedAt', at, 'finishedAt', at, 'labels', tags, 'archived', true)
    from (select i, gen_random_uuid() as uid,
        case i % 50 when 0 then 'ToolRun' when 1 then 'OrchestrationRun' else 'AgentRun' end as kind,
        'team-' || i % ${namespaces}::int as namespace, 'run-' || md5(i::text) as name,
        'agent-' || (i::bigint * 7) % ${agents}::int as agent,
        'Org/repository-' || (i::bigint * 13) % ${repositories}::int as repository,
        case when i % 1000 = 0 then 'Cancelled' when i % 10 = 0 then 'Failed' else 'Succeeded' end as phase,
        jsonb_build_object('team', 'team-' || i % 20, 'ticket', 'T-' || i / 10, 'tier', 'web') as tags, at,
        (select string_agg(md5((i * 31::bigint + k) % 20000 || 'w'), ' ') from generate_series(1, 15) k) as prose
      from generate_series(0, ${runs}::int - 1) i, lateral (select date_trunc('second',
        now() - make_interval(secs => i::float8 / ${runs}::float8 * ${months}::int * 2629800)) as at) as made
      where at >= ${month}::timestamptz and at < ${month}::timestamptz + interval '1 month') as numbered`.execute(
    db,
  )
}

type Change = (at: number) => Partial<Question>

const questions: readonly (readonly [string, Change])[] = [
  ['no filter', () => ({})],
  ['namespace', (at) => ({ namespace: `team-${at % namespaces}` })],
  ['kind', () => ({ kind: 'ToolRun' })],
  ['agent', (at) => ({ agent: `agent-${at % agents}` })],
  ['agent that has none', (at) => ({ agent: `nobody-${at}` })],
  ['repository', (at) => ({ repository: `org/repository-${at % repositories}` })],
  ['repository that has none', (at) => ({ repository: `org/nothing-${at}` })],
  [
    'repository in a namespace',
    (at) => ({ namespace: 'team-7', repository: `org/repository-${at % repositories}` }),
  ],
  ['orchestration', (at) => ({ orchestration: `agent-${at % agents}` })],
  ['orchestration that has none', (at) => ({ orchestration: `nothing-${at}` })],
  ['frequent phase', () => ({ phase: 'Succeeded' })],
  ['rare phase', () => ({ phase: 'Cancelled' })],
  ['frequent label', () => ({ labels: ['tier=web'] })],
  ['label of 5 %', (at) => ({ labels: [`team=team-${at % 20}`] })],
  ['rare label', (at) => ({ labels: [`ticket=T-${at * 97}`] })],
  ['a month half a year ago', () => ({ since: daysAgo(200), until: daysAgo(170) })],
  ['text: every run', () => ({ words: ['please', 'fix'] })],
  ['text: 0.1 %', (at) => ({ words: ['module', String(at * 7)] })],
  ['text: one run', (at) => ({ words: ['issue', String(123_456 + at)] })],
  ['text: none', (at) => ({ words: [`nothing${at}`] })],
  [
    'text in a namespace',
    (at) => ({ namespace: `team-${at % namespaces}`, words: ['module', String(at * 7)] }),
  ],
  ['phase in a namespace', (at) => ({ namespace: `team-${at % namespaces}`, phase: 'Failed' })],
  [
    'namespace, phase, label',
    (at) => ({
      ...{
        namespace: `team-${at % namespaces}`,
        phase: 'Failed',
        labels: [`team=team-${at % 20}`],
      },
    }),
  ],
]

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z')
}

const everything: Omit<Question, 'limit' | 'cursor'> = {
  ...{
    namespace: undefined,
    kind: undefined,
    phase: undefined,
    agent: undefined,
    orchestration: undefined,
    repository: undefined,
    source: undefined,
  },
  ...{ labels: [], words: [], since: undefined, until: undefined },
}

const caller = { username: 'bench' } as Caller

function questionOf(change: Change, at: number): Question {
  return { ...everything, limit: 50, cursor: undefined, ...change(at) }
}

interface Measured {
  readonly times: readonly number[]
  /** Processor time of this process. */
  readonly cpu: readonly number[]
}

/** The first page and a later one each time, as somebody who reads on. */
async function measure(ports: ListPorts, change: Change, repeats: number): Promise<Measured> {
  const times: number[] = []
  const cpu: number[] = []
  for (let at = -3; at < repeats; at += 1) {
    const question = questionOf(change, Math.max(at, 0))
    const ask = async (cursor: string | undefined): Promise<string | undefined> => {
      const [before, used] = [performance.now(), process.cpuUsage()]
      const page = pageText(await listRuns(ports, caller, { ...question, cursor }))
      const { user, system } = process.cpuUsage(used)
      if (at >= 0) times.push(performance.now() - before)
      if (at >= 0) cpu.push((user + system) / 1000)
      return (JSON.parse(page) as { next?: string }).next
    }
    const next = await ask(undefined)
    if (next !== undefined && question.limit === 50) await ask(next)
  }
  return { times, cpu }
}

/** An empty cluster whose administrator asks. */
function portsWith(archive: ListPorts['archive']): ListPorts {
  const sources = [agentRun, orchestrationRun, toolRun].map((kind) => ({
    cache: { kind: kindRef<KubeObject>(kind), list: () => [] },
    changes: { isFilled: () => true },
  }))
  return { sources, archive, mayDo: async () => true, log: silentLogger } as unknown as ListPorts
}

function percentile(times: readonly number[], percent: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0
}

interface Row extends Measured {
  readonly server: ServerTime
  readonly isMissed: boolean
}

function report(name: string, { times, cpu, server, isMissed }: Row): void {
  const ms = (value: number): string => `${value.toFixed(1).padStart(6)} ms`
  const wall = `p50 ${ms(percentile(times, 50))}   p99 ${ms(percentile(times, 99))}`
  const { ms: inServer, cpuMs = Number.NaN, blocks, queries } = server
  const own = `PostgreSQL ${ms(inServer)} (CPU ${ms(cpuMs)}), ${blocks} blocks, ${queries} queries; process ${ms(percentile(cpu, 50))}`
  console.log(`${name.padEnd(28)} ${wall}   ${own}${isMissed ? '   MISSED' : ''}`)
}
