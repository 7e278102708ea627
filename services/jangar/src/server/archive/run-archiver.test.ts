import { randomBytes, randomUUID } from 'node:crypto'
import type { ChangeHandlers } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { silentLogger } from '@agents/log'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../database-schema.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { archiveRun, type Kept } from './archive-run.ts'
import { runArchiver } from './run-archiver.ts'

let database: TestDatabase
let db: Kysely<Database>
const log = silentLogger

beforeAll(async () => {
  database = await startTestDatabase()
  db = database.db
}, 240_000)

afterAll(() => database?.stop())

describe('an archived run', () => {
  test.each([
    { kind: 'AgentRun', spec: { agentRef: { name: 'x' } }, column: { agent: 'x' } },
    { kind: 'ToolRun', spec: { toolRef: { name: 'x' } }, column: { tool: 'x' } },
    {
      kind: 'OrchestrationRun',
      spec: { orchestrationRef: { name: 'x' } },
      column: { orchestration: 'x' },
    },
  ] as const)('of kind $kind has what it ran in a column', async ({ kind, spec, column }) => {
    const run = { ...finishedRun(`of-${kind}`, '1'), kind, spec } as unknown as AgentRun
    run.metadata.uid = randomUUID()
    await archiveRun(db, run, kind)
    const others = { agent: null, tool: null, orchestration: null }
    expect(await archived(`of-${kind}`)).toMatchObject({ ...others, ...column, kind })
  })

  test('is stored completely, with its usage', async () => {
    const run = finishedRun('whole', '7')
    await archiveRun(db, run, 'AgentRun')
    await archiveRun(db, run, 'AgentRun')
    const kept = await archived('whole')
    expect(kept).toMatchObject({ agent: 'coder', phase: 'Succeeded', reason: 'Succeeded' })
    expect(kept?.object).toEqual(JSON.parse(JSON.stringify(run)))
    expect(kept?.object).toMatchObject({
      status: { usage: { inputTokens: 1200, outputTokens: 80, dollars: '0.02' } },
    })
  })

  test('is never replaced by an older state', async () => {
    await archiveRun(db, finishedRun('versions', '99'), 'AgentRun')
    await archiveRun(db, finishedRun('versions', '100'), 'AgentRun')
    await archiveRun(db, finishedRun('versions', '20'), 'AgentRun')
    expect((await archived('versions'))?.resource_version).toBe('100')
  })

  test('may contain characters that PostgreSQL does not support', async () => {
    const run = finishedRun('hostile', '1')
    run.spec.parameters = { text: 'a\u0000b\ud83d' }
    await archiveRun(db, run, 'AgentRun')
    expect((await archived('hostile'))?.object).toMatchObject({
      spec: { parameters: { text: 'a\ufffdb\ufffd' } },
    })
  })
})

const patience = { timeout: 50_000 }

describe('the archiver', () => {
  test('archives runs that finish, were finished before, or are deleted before they are archived', async () => {
    const cluster = fakeCluster([finishedRun('before', '1')])
    startArchiver(cluster, (run) => archiveRun(db, run, 'AgentRun'))
    cluster.add(runningRun('ending', '2'))
    cluster.update(finishedRun('ending', '3'))
    cluster.add(finishedRun('deleted', '4'))
    cluster.delete('deleted')
    cluster.add(runningRun('unfinished', '5'))
    await expect.poll(() => archived('before'), patience).toBeDefined()
    await expect.poll(() => archived('ending'), patience).toBeDefined()
    await expect.poll(() => archived('deleted'), patience).toBeDefined()
    expect(await archived('unfinished')).toBeUndefined()
  })

  test('archives the last state of a run that is deleted while an earlier state is being archived', async () => {
    const cluster = fakeCluster([])
    const kept: (string | undefined)[] = []
    const first = Promise.withResolvers<void>()
    startArchiver(cluster, async ({ metadata }) => {
      kept.push(metadata.resourceVersion)
      if (kept.length === 1) await first.promise
      return 'whole'
    })
    cluster.add(finishedRun('overtaken', '1'))
    await expect.poll(() => kept, patience).toEqual(['1'])
    cluster.update(labelled(finishedRun('overtaken', '2')))
    cluster.delete('overtaken')
    first.resolve()
    await expect.poll(() => kept, patience).toEqual(['1', '2'])
  })

  test('loses no run while the database is unavailable', async () => {
    let isAway = true
    const cluster = fakeCluster([])
    let refusals = 0
    startArchiver(cluster, async (run) => {
      if (isAway) {
        refusals += 1
        throw new Error('away')
      }
      return await archiveRun(db, run, 'AgentRun')
    })
    cluster.add(finishedRun('patient', '1'))
    cluster.delete('patient')
    await expect.poll(() => refusals, patience).toBeGreaterThan(1)
    isAway = false
    await expect.poll(() => archived('patient'), patience).toBeDefined()
  })
})

/** What a controller sees that wants to let go of runs. */
describe('a controller', () => {
  test('waits until the archive has the run as it is', async () => {
    const cluster = fakeCluster([])
    const writes: (string | undefined)[] = []
    let isAway = true
    let refusals = 0
    const archiver = startArchiver(cluster, async ({ metadata }) => {
      if (isAway) {
        refusals += 1
        throw new Error('away')
      }
      writes.push(metadata.resourceVersion)
      return 'whole'
    })
    const told: string[] = []
    archiver.stored.start((key) => told.push(key))
    const run = finishedRun('held', '1')
    cluster.add(run)
    expect(archiver.has(run)).toBe(false)
    await expect.poll(() => refusals, patience).toBeGreaterThan(1)
    expect({ has: archiver.has(run), told }).toEqual({ has: false, told: [] })
    isAway = false
    await expect.poll(() => told, patience).toEqual(['agents/held'])
    expect(archiver.has(run)).toBe(true)
    // The deletion itself is not written: it changes nothing that the archive shows.
    const deleting = finishedRun('held', '2')
    deleting.metadata.deletionTimestamp = '2026-01-03T00:00:00Z'
    cluster.update(deleting)
    expect(archiver.has(deleting)).toBe(true)
    cluster.delete('held')
    // Runs are written in the order in which they changed.
    cluster.add(finishedRun('next', 'next'))
    await expect.poll(() => writes, patience).toContain('next')
    expect(writes).toEqual(['1', 'next'])
    // A later state is another one.
    const changed = labelled(finishedRun('held', '3'))
    cluster.add(changed)
    expect(archiver.has(changed)).toBe(false)
    await expect.poll(() => archiver.has(changed), patience).toBe(true)
    expect(writes).toEqual(['1', 'next', '3'])
  })

  test('does not wait for a run that has not finished', () => {
    const archiver = startArchiver(fakeCluster([]), async () => 'whole')
    expect(archiver.has(runningRun('running', '1'))).toBe(true)
  })

  test('does not wait for ever for a run that the database refuses', async () => {
    const cluster = fakeCluster([])
    const archiver = startArchiver(cluster, (run) => archiveRun(db, run, 'AgentRun'))
    const long = randomBytes(4000).toString('hex')
    const nested = JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`)
    const longRef = finishedRun('longer', '1')
    longRef.spec.agentRef.name = long
    const deep = finishedRun('deeper', '1')
    deep.spec.runtime.config = { nested }
    for (const run of [longRef, deep]) {
      cluster.add(run)
      await expect.poll(() => archiver.has(run), patience).toBe(true)
    }
    expect(await archived('longer')).toMatchObject({
      agent: long.slice(0, 253),
      phase: 'Succeeded',
      object: { metadata: { name: 'longer' }, status: { finishedAt: '2026-01-02T03:04:05Z' } },
    })
    expect(await archived('deeper')).toMatchObject({ agent: 'coder', reason: 'Succeeded' })
  })
})

function labelled(run: AgentRun): AgentRun {
  return { ...run, metadata: { ...run.metadata, labels: { changed: 'yes' } } }
}

function startArchiver(cluster: FakeCluster, archive: (run: AgentRun) => Promise<Kept>) {
  const stop = new AbortController()
  const archiver = runArchiver<AgentRun>({ kind: 'AgentRun', runs: cluster, archive, log })
  const ended = archiver.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await ended
  })
  return archiver
}

async function archived(name: string) {
  return db.selectFrom('run_archive').selectAll().where('name', '=', name).executeTakeFirst()
}

type FakeCluster = ReturnType<typeof fakeCluster>

function fakeCluster(initial: readonly AgentRun[]) {
  const runs = new Map(initial.map((run) => [formatKey(run.metadata), run]))
  const subscribers = new Set<ChangeHandlers<AgentRun>>()
  return {
    resourceVersion: '1',
    get: (key: string) => runs.get(key),
    subscribe: (handlers: ChangeHandlers<AgentRun>) => {
      subscribers.add(handlers)
      for (const run of runs.values()) handlers.onAdd(run, true)
      return { hasSynced: () => true, remove: () => void subscribers.delete(handlers) }
    },
    add: (run: AgentRun) => {
      runs.set(formatKey(run.metadata), run)
      for (const { onAdd } of subscribers) onAdd(run, false)
    },
    update: (run: AgentRun) => {
      const before = runs.get(formatKey(run.metadata)) ?? run
      runs.set(formatKey(run.metadata), run)
      for (const { onUpdate } of subscribers) onUpdate(before, run)
    },
    delete: (name: string) => {
      const run = runs.get(`agents/${name}`)
      runs.delete(`agents/${name}`)
      if (run) for (const { onDelete } of subscribers) onDelete(run)
    },
  }
}

function runningRun(name: string, resourceVersion: string): AgentRun {
  const uid = `00000000-0000-4000-8000-${Buffer.from(name.padEnd(6).slice(0, 6)).toString('hex')}`
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name, namespace: 'agents', uid, resourceVersion },
    spec: {
      agentRef: { name: 'coder' },
      implementation: { inline: { text: 'Fix it.' } },
      runtime: { type: 'job' },
    },
  } as AgentRun
}

function finishedRun(name: string, resourceVersion: string): AgentRun {
  const at = '2026-01-02T03:04:05Z'
  return {
    ...runningRun(name, resourceVersion),
    status: {
      phase: 'Succeeded',
      startedAt: at,
      finishedAt: at,
      usage: { inputTokens: 1200, outputTokens: 80, dollars: '0.02' },
      conditions: [{ type: 'Finished', status: 'True', reason: 'Succeeded', message: 'done' }],
    },
  } as AgentRun
}
