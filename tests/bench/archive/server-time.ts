import { readFileSync } from 'node:fs'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { readArchive } from '../../../services/jangar/src/server/archive/read-archive.ts'
import type { Database } from '../../../services/jangar/src/server/database-schema.ts'

type ArchivedRuns = ReturnType<typeof readArchive>

/** What PostgreSQL says that the queries of one question cost it. */
export interface ServerTime {
  /** Planning and execution: the median of several. */
  readonly ms: number
  /** Of that, processor time, which other work on the machine changes least. Undefined where Linux does not say it. */
  readonly cpuMs: number | undefined
  /** Blocks of 8 KiB that were read, from memory or from disk. */
  readonly blocks: number
  readonly queries: number
}

interface Explained {
  readonly 'Planning Time': number
  readonly 'Execution Time': number
  readonly Plan: Readonly<Record<string, number>>
}

const rounds = 15

/** Asks PostgreSQL itself, with EXPLAIN (ANALYZE, BUFFERS). */
export function openServerTime(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  // A server that stops tells it to connections that are closed but not gone yet.
  const ignore = (): void => undefined
  pool.on('error', ignore)
  pool.on('connect', (client) => client.on('error', ignore))
  const seen: { readonly text: string; readonly values: unknown[] }[] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      seen.push({ text: query.sql, values: [...query.parameters] })
    },
  })
  const runs = readArchive(db)
  return {
    /** Of the queries that the function causes. */
    explain: async (ask: (runs: ArchivedRuns) => Promise<void>): Promise<ServerTime> => {
      seen.length = 0
      await ask(runs)
      const queries = [...seen]
      const sums: { readonly ms: number; readonly blocks: number }[] = []
      const cpu: number[] = []
      const used = await processorTime(pool)
      for (let round = 0; round < rounds; round += 1) {
        let [ms, blocks] = [0, 0]
        for (const { text, values } of queries) {
          const { rows } = await pool.query<{ 'QUERY PLAN': [Explained] }>(
            `explain (analyze, buffers, timing off, serialize text, format json) ${text}`,
            values,
          )
          const [found] = rows[0]?.['QUERY PLAN'] ?? []
          if (found === undefined) throw new Error(`no plan: ${text}`)
          ms += found['Planning Time'] + found['Execution Time']
          blocks += (found.Plan['Shared Hit Blocks'] ?? 0) + (found.Plan['Shared Read Blocks'] ?? 0)
        }
        sums.push({ ms, blocks })
        const before = used()
        for (const { text, values } of queries) await pool.query(text, values)
        if (before !== undefined) cpu.push((used() ?? 0) - before)
      }
      const median = sums.toSorted((a, b) => a.ms - b.ms)[Math.floor(rounds / 2)]
      return {
        ...{ ms: median?.ms ?? 0, blocks: median?.blocks ?? 0, queries: queries.length },
        cpuMs: cpu.toSorted((a, b) => a - b)[Math.floor(rounds / 2)],
      }
    },
    close: () => db.destroy(),
  }
}

/** Of the only connection's process, in milliseconds. */
async function processorTime(pool: pg.Pool): Promise<() => number | undefined> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  return () => {
    try {
      const [nanoseconds] = readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')
      return Number(nanoseconds) / 1e6
    } catch {
      return undefined
    }
  }
}
