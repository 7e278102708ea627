import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runTool, type ToolResult } from '../tools/run-tool.ts'
import { policyIsAggregated } from './builtin/bootstrap-policy.ts'
import { builtinTables, generatedDirectory, readDocuments } from './builtin/builtin-tables.ts'
import { type CompactSchemas, compactSchemas } from './builtin/compact-schema.ts'
import { definitionId } from './builtin/definition-id.ts'
import { expandDefinition } from './builtin/expand-schema.ts'
import { jsonGetter } from './json-getter.ts'
import { type RealCluster, realClusterAvailable, startRealCluster } from './real-cluster.ts'

const availability = await realClusterAvailable()
if (!availability.available) {
  process.stderr.write(`\nSKIPPED, no real Kubernetes API server: ${availability.reason}\n\n`)
}

const viewer = { token: 'viewer-token', user: 'viewer', groups: ['viewers'] }
const kubectls: readonly { version: string; tool: Tool }[] = [
  { version: '1.36', tool: ['kubectl', '1.36'] },
  { version: '1.32', tool: ['kubectl', '1.32'] },
]

describe.skipIf(!availability.available)('the real cluster', () => {
  let cluster: RealCluster
  beforeAll(async () => {
    cluster = await startRealCluster({ controllerManager: true, tokens: [viewer] })
  })
  afterAll(() => cluster?.stop())

  const kubectl = (tool: Tool, ...args: string[]): Promise<ToolResult> =>
    runTool(tool, args, { kubeconfig: cluster.kubeconfigPath })

  test.each(kubectls)('answers kubectl $version', async ({ tool }) => {
    const version = await kubectl(tool, 'version')
    expect(version.stdout).toContain('Server Version: v1.36.4')
    const namespaces = await kubectl(tool, 'get', 'ns', '-o', 'name')
    expect(namespaces.stdout.split('\n')).toContain('namespace/kube-system')
    expect(namespaces.code).toBe(0)
  })

  test('accepts additional tokens, and RBAC applies to them', async () => {
    const kubeconfig = await cluster.writeKubeconfig('viewer', viewer.token)
    const whoami = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']
    expect((await runTool(['kubectl', '1.36'], whoami, { kubeconfig })).stdout).toBe('viewer')
    const pods = await runTool(['kubectl', '1.36'], ['get', 'pods'], { kubeconfig })
    expect(pods).toMatchObject({ code: 1, stderr: expect.stringContaining('Forbidden') })
  })

  test('runs controllers: a namespace gets its service account and can be deleted', async () => {
    const tool: Tool = ['kubectl', '1.36']
    expect(await kubectl(tool, 'create', 'namespace', 'one')).toMatchObject({ code: 0 })
    const account = ['wait', 'serviceaccount/default', '-n', 'one', '--for=create', '--timeout=55s']
    expect(await kubectl(tool, ...account)).toMatchObject({ code: 0 })
    expect(await kubectl(tool, 'delete', 'namespace', 'one')).toMatchObject({ code: 0 })
  })

  test('keeps its data when everything is killed', async () => {
    const tool: Tool = ['kubectl', '1.36']
    expect(await kubectl(tool, 'create', 'configmap', 'kept')).toMatchObject({ code: 0 })
    await cluster.restart({ signal: 'SIGKILL', etcd: true })
    expect(await kubectl(tool, 'get', 'configmap', 'kept')).toMatchObject({ code: 0 })
  })

  test('matches the committed tables', async () => {
    const get = jsonGetter(cluster)
    await expect.poll(() => policyIsAggregated(get), { timeout: 120_000 }).toBe(true)
    for (const [file, text] of Object.entries(await builtinTables(get))) {
      expect(text === (await readFile(join(generatedDirectory, file), 'utf8')), file).toBe(true)
    }
  })

  test('has no schema that the table fails to reproduce', async () => {
    const documents = await readDocuments(jsonGetter(cluster))
    const { definitions }: CompactSchemas = compactSchemas(documents)
    const schemas = documents.flatMap(({ components }) => Object.entries(components.schemas))
    expect(schemas.length).toBeGreaterThan(500)
    for (const [name, schema] of schemas) {
      // Each document lists only a part of their kinds.
      if (/\.(DeleteOptions|WatchEvent)$/.test(name)) continue
      const definition = definitions[definitionId(name)] ?? {}
      expect(expandDefinition(definition), name).toEqual(withoutProse(schema))
    }
  })

  test('leaves nothing running when it stops', async () => {
    const short = await startRealCluster()
    const pids = Object.values(short.pids)
    expect(pids).toHaveLength(2)
    await short.stop()
    expect(pids.filter(isRunning)).toEqual([])
    await expect(readFile(short.kubeconfigPath)).rejects.toThrow('ENOENT')
  })

  test('shows the end of the log when the API server does not start', async () => {
    const starting = startRealCluster({ apiServerFlags: ['--no-such-flag'] })
    await expect(starting).rejects.toThrow('unknown flag: --no-such-flag')
  })
})

// In the form of the table: no descriptions, short ids, and a bare reference where allOf adds nothing to it.
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([key, item]) => !(key === 'description' && typeof item === 'string'),
  )
  const bare = Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string'
        ? definitionId(item.slice(item.lastIndexOf('/') + 1))
        : withoutProse(item),
    ]),
  )
  const { allOf, ...rest } = bare
  return Array.isArray(allOf) && !('default' in bare) ? { ...rest, ...allOf[0] } : bare
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
