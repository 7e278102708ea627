import { randomUUID } from 'node:crypto'
import { startApiServer } from '@agents/apiserver'
import { type AgentRun, orchestrationRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveRun } from '../archive/archive-run.ts'
import { type ArchiveReader, openReader } from '../archive/open-reader.ts'
import { startTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { account, startTestApi } from './testing/test-api.ts'

const apiVersion = 'orchestration.proompteng.ai/v1alpha1'
const name = 'release.of-all'
let database: TestDatabase
let reader: ArchiveReader
let api: Awaited<ReturnType<typeof startTestApi>>

beforeAll(async () => {
  database = await startTestDatabase()
  reader = await openReader(database.config, silentLogger)
  api = await startTestApi(startApiServer, { archive: reader.runs })
  await archive('red', 'archived', 'OrchestrationRun', { orchestrationRef: { name } })
  await archive('blue', 'elsewhere', 'OrchestrationRun', { orchestrationRef: { name } })
  // The words of the name are in this one, too.
  const longer = { orchestrationRef: { name: `${name}-others` } }
  await archive('red', 'longer', 'OrchestrationRun', longer)
  // An Agent of the same name is something else.
  await archive('red', 'agent', 'AgentRun', { agentRef: { name } })
  for (const [run, of] of Object.entries({ live: name, other: `${name}-others` })) {
    await api.admin.create(kindRef<KubeObject>(orchestrationRun), {
      ...{ apiVersion, kind: 'OrchestrationRun', metadata: { namespace: 'red', name: run } },
      spec: { orchestrationRef: { name: of } },
    } as KubeObject)
  }
}, 240_000)

afterAll(async () => {
  await api?.stop()
  await reader?.close()
  await database?.stop()
})

test('runs of an Orchestration are found by its exact name, live and archived', async () => {
  await expect
    .poll(() => names(api.adminToken), { timeout: 30_000 })
    .toEqual(['archived', 'elsewhere', 'live'])
  const rules = [{ apiGroups: ['*'], resources: ['orchestrationruns'], verbs: ['list'] }]
  expect(await names(await account(api.admin, 'blue', 'lister', rules))).toEqual(['elsewhere'])
  expect(await names(await account(api.admin, 'red', 'nobody', []))).toEqual([])
})

test('the path of the predecessor lists the same', async () => {
  const path = `/v1/orchestration-runs?orchestrationName=${name}&namespace=red`
  const { json } = await api.ask(path, { token: api.adminToken })
  expect(json.orchestrationRuns).toMatchObject([
    { orchestrationName: name },
    { orchestrationName: name },
  ])
})

async function names(token: string): Promise<readonly string[] | undefined> {
  const { json } = await api.ask(`/v1/runs?orchestration=${name}`, { token })
  return json.items?.map((each: { readonly name: string }) => each.name).toSorted()
}

async function archive(
  namespace: string,
  run: string,
  kind: 'AgentRun' | 'OrchestrationRun',
  spec: object,
): Promise<void> {
  const creationTimestamp = '2026-03-09T12:00:00Z'
  const metadata = { namespace, name: run, uid: randomUUID(), creationTimestamp }
  const status = { phase: 'Succeeded', finishedAt: creationTimestamp }
  const object = { apiVersion, kind, metadata, spec, status }
  await archiveRun(database.db, object as unknown as AgentRun, kind)
}
