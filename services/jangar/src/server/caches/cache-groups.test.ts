import { startApiServer } from '@agents/apiserver'
import { launch, Manager, resourceCache, whenAborted } from '@agents/controller'
import { customResourceDefinition } from '@agents/crd'
import { agent, tool } from '@agents/jangar-api'
import {
  bearer,
  ConfigMapKind,
  CustomResourceDefinitionKind,
  createInformers,
  createKubeClient,
  kindRef,
  staticCredentials,
} from '@agents/kube'
import { createLogger } from '@agents/log'
import { expect, onTestFinished, test, vi } from 'vitest'
import { afterCaches, cacheGroup, cacheGroups } from './cache-groups.ts'

const patient = { timeout: 20_000 }

test('a missing CRD delays its own group only', { timeout: 60_000 }, async () => {
  const client = await newCluster()
  await client.create(CustomResourceDefinitionKind, customResourceDefinition(agent))
  const informers = createInformers(client, {
    backoff: { baseMs: 100, maxMs: 500, resetAfterMs: 1000 },
  })
  const configMaps = resourceCache(informers, ConfigMapKind, ['*'])
  const agents = resourceCache(informers, kindRef(agent), ['*'])
  const tools = resourceCache(informers, kindRef(tool), ['*'])
  const groups = [
    cacheGroup('tools', { configMaps, tools }),
    cacheGroup('agents', { configMaps, agents }),
  ]
  const lines: string[] = []
  const log = createLogger({ sink: { write: (line) => void lines.push(line) } })
  const manager = new Manager({ log })
  manager.add('caches', cacheGroups({ informers, groups, log, isShared: false }))
  const started: string[] = []
  for (const group of groups) {
    const run = async (signal: AbortSignal) => {
      started.push(group.name)
      await whenAborted(signal)
    }
    manager.add('leading', afterCaches(group, informers, { name: group.name, run }))
  }
  const running = launch(manager)
  await vi.waitFor(() => expect(started).toEqual(['agents']), patient)
  await vi.waitFor(() => expect(lines.join('')).toContain('waiting for kinds'), patient)
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
  expect(warnings).toMatchObject([{ group: 'tools', kinds: [`tools.${tool.group}`] }])
  await client.create(CustomResourceDefinitionKind, customResourceDefinition(tool))
  await vi.waitFor(() => expect(started).toEqual(['agents', 'tools']), patient)
  await running.stop()
})

async function newCluster() {
  const silent = createLogger({ sink: { write: () => undefined } })
  const server = await startApiServer({ logger: silent })
  onTestFinished(() => server.stop())
  const client = createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(server.adminToken) }),
  })
  onTestFinished(() => client.close())
  return client
}
