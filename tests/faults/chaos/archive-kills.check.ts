import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { agentRun, orchestration, orchestrationRun, tool, toolRun } from '@agents/jangar-api'
import { isNotFound, type KindRef, type KubeObject, kindRef } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openLocalArchive } from '../../../services/jangar/src/server/archive/local-archive.ts'
import {
  createRun,
  namespace,
  type RunPlatform,
  startRunPlatform,
  unlimited,
} from '../../support/run-platform/run-platform.ts'
import { isFull } from '../../support/tier.ts'

type Run = KubeObject & { readonly status?: { readonly finishedAt?: string } }

type ArchivedRun = { readonly uid: string; readonly owner: string | null }

const selectRuns = `select uid, object #>> '{metadata,ownerReferences,0,uid}' as owner from run_archive`
const runKinds = [agentRun, toolRun, orchestrationRun].map((kind) => kindRef<Run>(kind))
/** In each second one, the database is killed too. */
const rounds = isFull ? 8 : 2
/** In each round: six of each kind, and each OrchestrationRun has a ToolRun. */
const perRound = 6
const expected = rounds * perRound * 4

test('every run is in the cluster or in the archive while controllers, database and runs are killed', async () => {
  const { platform, postgres, archived } = await setUp()
  const created: Run[] = []
  const seen = new Map<string, Run>()
  const problems: string[] = []
  let samples = 0
  let isOver = false
  /** The cluster first: what is no longer there must have been archived before. */
  const sample = async (): Promise<void> => {
    const known = [...seen]
    const inCluster = new Set<string>()
    for (const run of await everyRun(platform)) {
      seen.set(run.metadata.uid ?? '', run)
      inCluster.add(run.metadata.uid ?? '')
    }
    const gone = known.filter(([uid]) => !inCluster.has(uid))
    const stored = (await archived()).map(({ uid }) => uid)
    for (const [uid, run] of gone) {
      if (!stored.includes(uid)) problems.push(`${run.kind} ${run.metadata.name} is in neither`)
    }
    if (new Set(stored).size !== stored.length) problems.push('a run is in the archive twice')
    samples += 1
  }
  const watching = (async () => {
    while (!isOver) await sample()
  })()
  for (let round = 0; round < rounds; round += 1) {
    const settings = { ...unlimited, DATABASE_URL: postgres.url, PGSSLMODE: 'disable' }
    const controllers = await platform.startControllers(settings)
    await createSome(platform, round, (run) => {
      created.push(run)
      seen.set(run.metadata.uid ?? '', run)
    })
    await deleteFinished(platform, 1500 + ((round * 337) % 1100))
    if (round % 2 === 0 && postgres.pid !== undefined) process.kill(postgres.pid, 'SIGKILL')
    // Finished runs, and deletions, that wait for the database when the controllers die.
    await deleteFinished(platform, round % 3 === 0 ? 400 : 0)
    await controllers.kill()
  }
  await platform.startControllers({
    ...unlimited,
    ...{ DATABASE_URL: postgres.url, PGSSLMODE: 'disable' },
  })
  while ((await everyRun(platform)).length > 0) await deleteFinished(platform, 500)
  isOver = true
  await watching
  await sample()
  expect(problems).toEqual([])
  expect(samples).toBeGreaterThan(rounds)
  const stored = await archived()
  expect(stored).toHaveLength(expected)
  // A step's run can begin and end while a sample waits for the database: its owner identifies it.
  expect(uidsOf(created)).toEqual(
    stored.flatMap(({ uid, owner }) => (owner ? [] : [uid])).toSorted(),
  )
  const orchestrations = created.filter(({ kind }) => kind === orchestrationRun.kind)
  expect(uidsOf(orchestrations)).toEqual(stored.flatMap(({ owner }) => owner ?? []).toSorted())
})

function uidsOf(runs: readonly Run[]): string[] {
  return runs.map(({ metadata }) => metadata.uid ?? '').toSorted()
}

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'agents-archive-kills-'))
  const postgres = await startPostgres({ directory, log: silentLogger })
  onTestFinished(async () => {
    await postgres.stop()
    await rm(directory, { recursive: true, force: true })
  })
  await (await openLocalArchive(postgres.url, silentLogger)).close()
  const platform = await startRunPlatform('embedded')
  onTestFinished(() => platform.stop())
  await platform.startNode()
  const { client } = platform
  const command = ['/bin/sh', '-c', 'exit 0']
  await client.create(kindRef(tool), {
    metadata: { name: 'nothing', namespace },
    spec: { image: 'local', command },
  } as never)
  const steps = [{ name: 'only', kind: 'ToolRun', toolRef: { name: 'nothing' } }]
  await client.create(kindRef(orchestration), {
    metadata: { name: 'nothing', namespace },
    spec: { steps },
  } as never)
  return { platform, postgres, archived: () => archivedRuns(postgres) }
}

/** Waits while the database is away. */
async function archivedRuns(postgres: LocalPostgres): Promise<ArchivedRun[]> {
  for (;;) {
    const client = new pg.Client({ connectionString: postgres.url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query<ArchivedRun>(selectRuns)).rows
    } catch {
      await delay(100)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

async function everyRun({ client }: RunPlatform): Promise<Run[]> {
  const lists = await Promise.all(runKinds.map((kind) => client.list(kind, { namespace })))
  return lists.flatMap(({ items }) => items)
}

/** Half of them are deleted by retention, the others by a user. */
async function createSome(
  { client }: RunPlatform,
  round: number,
  onCreated: (run: Run) => void,
): Promise<void> {
  for (let at = 0; at < perRound; at += 1) {
    const name = `run-${round}-${at}`
    const ttl = at % 2 === 0 ? { ttlSecondsAfterFinished: 1 } : {}
    const metadata = { name, namespace }
    onCreated(await createRun(client, name, 'true', ttl))
    const specs = [
      [toolRun, { toolRef: { name: 'nothing' } }],
      [orchestrationRun, { orchestrationRef: { name: 'nothing' } }],
    ] as const
    for (const [kind, spec] of specs) {
      const run = { metadata, spec: { ...spec, ...ttl } }
      onCreated(await client.create(kindRef<Run>(kind), run as never))
    }
  }
}

/** Deletes finished runs as soon as they are seen, as an impatient user does. */
async function deleteFinished(platform: RunPlatform, forMs: number): Promise<void> {
  const end = Date.now() + forMs
  do {
    for (const kind of runKinds) await deleteOf(platform, kind)
    await delay(20)
  } while (Date.now() < end)
}

async function deleteOf({ client }: RunPlatform, kind: KindRef<Run>): Promise<void> {
  const { items } = await client.list(kind, { namespace })
  for (const { metadata, status } of items) {
    const isOwned = (metadata.ownerReferences ?? []).length > 0
    if (status?.finishedAt === undefined || metadata.deletionTimestamp || isOwned) continue
    await client.delete(kind, metadata).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
}
