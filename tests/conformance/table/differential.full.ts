import { createTableConverter } from '@agents/apiserver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clusterSamples } from '../../support/samples/cluster-samples.ts'
import {
  customSamples,
  declaredColumns,
  definitionSamples,
} from '../../support/samples/custom-samples.ts'
import { podSamples } from '../../support/samples/pod-samples.ts'
import type { Sample } from '../../support/samples/sample.ts'
import { workloadSamples } from '../../support/samples/workload-samples.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { apiCaller, type Call } from './api-client.ts'

const availability = await realClusterAvailable()
if (!availability.available) {
  process.stderr.write(`\nSKIPPED, no real Kubernetes API server: ${availability.reason}\n\n`)
}

type Converter = ReturnType<typeof createTableConverter>
type Resource = Parameters<Converter>[0]
type KubeObject = Parameters<Converter>[1][number]

interface TableRow {
  readonly cells: readonly unknown[]
  readonly conditions?: readonly object[]
  readonly object: KubeObject
}

interface Table {
  readonly metadata: object
  readonly columnDefinitions: readonly { readonly description: string }[]
  readonly rows: readonly TableRow[] | null
}

const samples = [...podSamples, ...workloadSamples, ...clusterSamples, ...customSamples]
const toTable = createTableConverter()

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
  afterAll(() => cluster?.stop())

  const paths = [...new Set([...definitionSamples, ...samples].map(({ path }) => path))].sort()

  test.each(paths)('%s', async (path) => {
    const { theirs, early, late } = await read(call, path)
    const resource = resourceAt(path)
    const objects = (theirs.rows ?? []).map(({ object }) => object)
    expect(objects.length).toBeGreaterThan(0)
    const tables = momentsFrom(early, late).map(
      (now) =>
        toTable(resource, objects, {
          includeObject: 'Object',
          version: 'v1',
          listMeta: {},
          now,
        }) as unknown as Table,
    )
    const [ours] = tables
    expect(ours?.columnDefinitions.map(withoutProse)).toEqual(
      theirs.columnDefinitions.map(withoutProse),
    )
    for (const [index, row] of (theirs.rows ?? []).entries()) {
      const seen = { name: row.object.metadata.name, conditions: row.conditions }
      const cells = ours?.rows?.[index]?.cells ?? []
      // The other server read its clock between our two readings.
      const matched = cells.map((cell, column) => {
        const atMoments = tables.map(({ rows }) => rows?.[index]?.cells[column])
        return atMoments.includes(row.cells[column]) ? row.cells[column] : cell
      })
      expect({ ...seen, cells: named(theirs, matched) }).toEqual({
        name: row.object.metadata.name,
        conditions: ours?.rows?.[index]?.conditions,
        cells: named(theirs, row.cells),
      })
    }
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

/** Each second from one to the other: ages may be printed in seconds. */
function momentsFrom(early: Date, late: Date): Date[] {
  const seconds = Math.ceil((late.getTime() - early.getTime()) / 1000)
  return Array.from({ length: seconds + 1 }, (_, second) =>
    second < seconds ? new Date(early.getTime() + second * 1000) : late,
  )
}

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

function resourceAt(path: string): Resource {
  const parts = path.split('/')
  const plural = parts.at(-1) ?? ''
  return resourceLike({ group: parts[1] === 'api' ? '' : (parts[2] ?? ''), plural })
}

/** The part of a resource that tables are built from. */
function resourceLike({ group, plural }: { group: string; plural: string }): Resource {
  const isCustom = Object.hasOwn(declaredColumns, plural)
  return { group, plural, isCustom, columns: declaredColumns[plural] } as unknown as Resource
}

function withoutProse({ description: _, ...definition }: { readonly description: string }): object {
  return definition
}

function named(table: Table, cells: readonly unknown[]): object {
  return Object.fromEntries(
    cells.map((cell, index) => [
      (table.columnDefinitions[index] as unknown as { name: string } | undefined)?.name ?? index,
      typeof cell === 'bigint' ? Number(cell) : cell,
    ]),
  )
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
