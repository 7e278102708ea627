import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clusterSamples } from '../../support/samples/cluster-samples.ts'
import { customSamples, definitionSamples } from '../../support/samples/custom-samples.ts'
import { podSamples } from '../../support/samples/pod-samples.ts'
import type { Sample } from '../../support/samples/sample.ts'
import { workloadSamples } from '../../support/samples/workload-samples.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { apiCaller, type Call } from './api-client.ts'
import {
  expectSameTable,
  type KubeObject,
  resourceAt,
  resourceLike,
  type Table,
  toTable,
  withoutProse,
} from './compare-tables.ts'
import { recordTable, saveTables } from './recorded-tables.ts'

const availability = await realClusterAvailable()
if (!availability.available) {
  process.stderr.write(`\nSKIPPED, no real Kubernetes API server: ${availability.reason}\n\n`)
}

const samples = [...podSamples, ...workloadSamples, ...clusterSamples, ...customSamples]

describe.skipIf(!availability.available)('tables, compared with the real server', () => {
  let cluster: RealCluster
  let call: Call

  beforeAll(async () => {
    cluster = await startRealCluster({
      disableAdmissionPlugins: ['ServiceAccount', 'Priority', 'TaintNodesByCondition'],
      fsync: false,
    })
    call = apiCaller(cluster)
    for (const sample of definitionSamples) await create(call, sample)
    await untilServed(
      call,
      customSamples.map(({ path }) => path),
    )
    const refused: string[] = []
    for (const sample of samples) {
      await create(call, sample).catch((error: Error) => refused.push(error.message))
    }
    expect(refused).toEqual([])
  })
  afterAll(async () => {
    saveTables()
    await cluster?.stop()
  })

  const paths = [...new Set([...definitionSamples, ...samples].map(({ path }) => path))].sort()

  test.each(paths)('%s', async (path) => {
    const table = await read(call, path)
    recordTable(path, table)
    expectSameTable(path, table)
  })

  test('the columns of every resource that can be listed', async () => {
    const listable = await listableResources(call)
    expect(listable.length).toBeGreaterThan(40)
    for (const { path, ...identity } of listable) {
      const { theirs } = await read(call, path)
      const ours = toTable(resourceLike(identity), [], {
        includeObject: 'Metadata',
        version: 'v1',
        listMeta: {},
        now: new Date(),
      }) as unknown as Table
      expect(ours.columnDefinitions.map(withoutProse), path).toEqual(
        theirs.columnDefinitions.map(withoutProse),
      )
      if (theirs.rows === null || theirs.rows.length === 0)
        expect(ours.rows, path).toEqual(theirs.rows)
    }
  })

  test.each(['None', 'Metadata', 'Object'] as const)('includeObject=%s', async (includeObject) => {
    const { theirs } = await read(call, '/api/v1/namespaces/default/configmaps', includeObject)
    const list = (await call('GET', '/api/v1/namespaces/default/configmaps')) as { items: object[] }
    const identity = { apiVersion: 'v1', kind: 'ConfigMap' }
    const objects = list.items.map((item) => ({ ...identity, ...item }) as KubeObject)
    const ours = toTable(resourceAt('/api/v1/namespaces/default/configmaps'), objects, {
      includeObject,
      version: 'v1',
      listMeta: {},
      now: new Date(),
    }) as unknown as Table
    expect(ours.rows?.map(({ object }) => object)).toEqual(theirs.rows?.map(({ object }) => object))
  })
})

async function create(call: Call, { path, body, status, deleted }: Sample): Promise<void> {
  const one = `${path}/${body.metadata.name}`
  await call('POST', path, { body })
  if (status !== undefined) {
    const contentType = 'application/merge-patch+json'
    await call('PATCH', `${one}/status`, { body: { status }, contentType })
  }
  if (deleted === true) await call('DELETE', one)
}

async function untilServed(call: Call, paths: readonly string[]): Promise<void> {
  const deadline = performance.now() + 120_000
  for (const path of new Set(paths)) {
    while (
      !(await call('GET', path).then(
        () => true,
        () => false,
      ))
    ) {
      if (performance.now() > deadline) throw new Error(`${path} is not served`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function read(call: Call, path: string, includeObject = 'Object') {
  const early = new Date()
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const theirs = (await call('GET', `${path}?includeObject=${includeObject}`, { accept })) as Table
  return { theirs, early, late: new Date() }
}

const ourGroups =
  /^(?:apiregistration|events|networking|rbac\.authorization|storage|admissionregistration|apiextensions|scheduling|coordination|node|discovery)\.k8s\.io$|^(?:apps|autoscaling|batch|policy)$/

async function listableResources(
  call: Call,
): Promise<{ group: string; plural: string; path: string }[]> {
  const groups = (await call('GET', '/apis')) as {
    groups: { name: string; versions: { groupVersion: string }[] }[]
  }
  const versions = groups.groups
    .filter(({ name }) => ourGroups.test(name))
    .flatMap(({ name, versions: all }) =>
      all.map(({ groupVersion }) => ({ group: name, root: `/apis/${groupVersion}` })),
    )
  const found: { group: string; plural: string; path: string }[] = []
  for (const { group, root } of [{ group: '', root: '/api/v1' }, ...versions]) {
    const list = (await call('GET', root)) as { resources: { name: string; verbs: string[] }[] }
    for (const { name, verbs } of list.resources) {
      if (verbs.includes('list')) found.push({ group, plural: name, path: `${root}/${name}` })
    }
  }
  return found
}
