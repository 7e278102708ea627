import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import type { Tool } from '@agents/chart-tools'
import { createLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { apiCaller, type Call } from '../table/api-client.ts'
import {
  aggregated,
  type Discovery,
  type Document,
  discoveryPath,
  explained,
  fields,
  flattened,
  type GroupList,
  operationIds,
  type ResourceList,
  servedBy,
  untilPublished,
  withoutProse,
} from './documents.ts'
import { widgets } from './widgets.ts'

const availability = await realClusterAvailable()
if (!availability.available) {
  process.stderr.write(`\nSKIPPED, no real Kubernetes API server: ${availability.reason}\n\n`)
}

const kubectls: readonly { version: string; tool: Tool }[] = [
  { version: '1.36', tool: ['kubectl', '1.36'] },
  { version: '1.32', tool: ['kubectl', '1.32'] },
]

describe.skipIf(!availability.available)(
  'discovery and OpenAPI, compared with the real server',
  () => {
    let real: RealCluster
    let embedded: ApiServer
    let directory: string
    let theirs: Call
    let ours: Call
    let groupVersions: string[]

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'agents-discovery-'))
      real = await startRealCluster({ fsync: false })
      embedded = await startApiServer({ logger: createLogger({ sink: nowhere }) })
      await writeFile(join(directory, 'kubeconfig'), embedded.kubeconfig, { mode: 0o600 })
      theirs = apiCaller(real)
      ours = apiCaller({ ...embedded, caPem: embedded.caCertificate })
      for (const call of [theirs, ours]) {
        const body = widgets
        await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body })
      }
      await untilPublished(theirs)
      groupVersions = await servedBy(ours)
    })
    afterAll(async () => {
      await embedded?.stop()
      await real?.stop()
      await rm(directory, { recursive: true, force: true })
    })

    test('the groups have the same order and versions', async () => {
      const names = (list: unknown) =>
        (list as GroupList).groups.flatMap(({ versions }) =>
          versions.map((each) => each.groupVersion),
        )
      const known = names(await theirs('GET', '/apis')).filter((name) =>
        groupVersions.includes(name),
      )
      expect(names(await ours('GET', '/apis'))).toEqual(known)
    })

    test('each group version has the same resources', async () => {
      for (const path of groupVersions.map(discoveryPath)) {
        const list = (await ours('GET', path)) as ResourceList
        const { resources, ...rest } = (await theirs('GET', path)) as ResourceList
        const names = new Set(list.resources.map(({ name }) => name))
        const shared = resources.filter(({ name }) => names.has(name))
        expect(list, path).toEqual({ ...rest, resources: shared })
      }
    })

    test.each(['/api', '/apis'])('%s returns the same aggregated discovery', async (path) => {
      const mine = flattened((await ours('GET', path, { accept: aggregated })) as Discovery)
      const all = flattened((await theirs('GET', path, { accept: aggregated })) as Discovery)
      expect(mine.size).toBeGreaterThan(10)
      for (const [name, resource] of mine) {
        const known = new Set(resource.subresources?.map(({ subresource }) => subresource))
        const { subresources, ...rest } = all.get(name) ?? resource
        const shared = subresources?.filter(({ subresource }) => known.has(subresource)) ?? []
        expect(all.has(name), name).toBe(true)
        expect(resource, name).toEqual({
          ...rest,
          ...(shared.length === 0 ? {} : { subresources: shared }),
        })
      }
    })

    test('OpenAPI has the same schemas, and the operations the same names', async () => {
      const index = (await ours('GET', '/openapi/v3')) as { paths: Record<string, object> }
      // Besides the group versions, the version of the server has a document.
      expect(Object.keys(index.paths)).toHaveLength(groupVersions.length + 1)
      for (const path of Object.keys(index.paths)) {
        const mine = (await ours('GET', `/openapi/v3/${path}`)) as Document
        const all = (await theirs('GET', `/openapi/v3/${path}`)) as Document
        for (const [name, schema] of Object.entries(mine.components.schemas)) {
          // Lists the groups that it belongs to, of which the real server has more.
          if (name.endsWith('.DeleteOptions')) continue
          expect(withoutProse(schema), name).toEqual(withoutProse(all.components.schemas[name]))
        }
        for (const [url, item] of Object.entries(mine.paths)) {
          expect(operationIds(item), url).toEqual(operationIds(all.paths[url] ?? {}))
        }
      }
    })

    test.each(
      kubectls.flatMap(({ version, tool }) => explained.map((args) => ({ version, tool, args }))),
    )('kubectl $version prints the same for $args', async ({ tool, args }) => {
      const [mine, all] = await Promise.all(
        [join(directory, 'kubeconfig'), real.kubeconfigPath].map((kubeconfig) =>
          runTool(tool, args, { kubeconfig }),
        ),
      )
      expect(mine?.code).toBe(all?.code)
      expect(mine?.stderr).toBe(all?.stderr)
      expect(fields(mine?.stdout ?? '')).toEqual(fields(all?.stdout ?? ''))
    })
  },
)

const nowhere = { write: () => true }
