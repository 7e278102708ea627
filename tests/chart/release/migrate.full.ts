import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, listAt } from '@agents/chart-tools'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { chart } from '../../support/chart/render.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const availability = await realClusterAvailable()
const folder = join(import.meta.dirname, '../../support/chart/predecessor')
const production = parse(readFileSync(join(folder, 'production-values.yaml'), 'utf8'))

/** The objects of the predecessor that an upgrade has to keep, with its names, labels and selectors. */
const workloads = ['agents', 'agents-controllers'].map((name) => {
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'agents' }
  const containers = [{ name: 'jangar', image: 'registry.example.com/lab/jangar:0.9.0' }]
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, labels } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { serviceAccountName: 'agents-sa', containers },
      },
    },
  }
})
const services = [
  { name: 'agents', port: { name: 'http', port: 80, targetPort: 'http' } },
  { name: 'agents-grpc', port: { name: 'grpc', port: 50051, targetPort: 'grpc' } },
  { name: 'agents-metrics', port: { name: 'metrics', port: 9090, targetPort: 'http' } },
].map(({ name, port }) => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
  spec: {
    selector: { 'app.kubernetes.io/name': 'agents', 'app.kubernetes.io/instance': 'agents' },
    ports: [port],
  },
}))
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'agents-sa' } }

describe.skipIf(!availability.available)('an installation of the predecessor', () => {
  let cluster: RealCluster
  let home: string

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'agents-migrate-'))
    await mkdir(join(home, 'old', 'templates'), { recursive: true })
    const definition = { apiVersion: 'v2', name: 'agents', version: '0.9.1' }
    await writeFile(join(home, 'old', 'Chart.yaml'), stringify(definition))
    const objects = [account, ...services, ...workloads].map((object) => stringify(object))
    await writeFile(join(home, 'old', 'templates', 'all.yaml'), objects.join('---\n'))
    cluster = await startRealCluster({ fsync: false })
    await run(['kubectl', '1.36'], ['create', '--filename', join(chart, 'crds')])
  })
  afterAll(async () => {
    await cluster?.stop()
    if (home) await rm(home, { recursive: true, force: true })
  })

  async function run(
    tool: readonly ['helm', '3' | '4'] | readonly ['kubectl', '1.36'],
    args: readonly string[],
    stdin = '',
  ): Promise<string> {
    const options = { kubeconfig: cluster.kubeconfigPath, stdin, timeoutMs: 120_000 }
    const { code, stdout, stderr } = await runTool(tool, args, options)
    expect(code, stderr).toBe(0)
    return stdout
  }

  test.each(['3', '4'] as const)(
    'is upgraded by Helm %s with its values, and keeps its workloads, Services and account',
    async (version) => {
      const namespace = `helm-${version}`
      const helm = (args: readonly string[], values: unknown) =>
        run(
          ['helm', version],
          [...args, '--namespace', namespace, '--values', '-'],
          JSON.stringify(values),
        )
      const kept = async () => {
        const output = ['--output', 'json', '--namespace', namespace]
        const kinds = 'deployments,services,serviceaccounts'
        const list = JSON.parse(await run(['kubectl', '1.36'], ['get', kinds, ...output]))
        const entries = listAt(list, 'items').map((item) => {
          const name = `${at(item, 'kind')} ${at(item, 'metadata', 'name')}`
          return [name, at(item, 'metadata', 'uid')] as const
        })
        return Object.fromEntries(entries)
      }
      await helm(['install', 'agents', join(home, 'old'), '--create-namespace'], {})
      const before = await kept()
      expect(before).toHaveProperty('Deployment agents-controllers')
      const values = { ...production, controller: { namespaces: [namespace] } }
      await helm(['upgrade', 'agents', chart], values)
      expect(await kept()).toMatchObject(before)
      const names = ['get', 'versioncontrolproviders', '--output', 'name', '--namespace', namespace]
      expect(await run(['kubectl', '1.36'], names)).toMatch(/\/github\n$/)
    },
  )
})
