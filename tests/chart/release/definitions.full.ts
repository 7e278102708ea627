import { spawn } from 'node:child_process'
import { chmod, copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, type RenderedObject } from '@agents/chart-tools'
import { createKubeClient, JobKind, type KubeClient } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { chart } from '../../support/chart/render.ts'
import { containersOf, variablesOf } from '../../support/chart/workload.ts'
import { compileCacheVariable } from '../../support/testbed/compile-cache.ts'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { connectionTo } from '../../support/testbed/server.ts'
import { runTool, type ToolResult } from '../../support/tools/run-tool.ts'
import { put } from '../mutate.ts'

const availability = await realClusterAvailable()
const root = join(import.meta.dirname, '../../..')
const definition = 'agents.agents.proompteng.ai'
const file = 'crds/agents.proompteng.ai_agents.yaml'
/** A field that the older chart lacks. */
const added = ['properties', 'spec', 'properties', 'memoryRef']
const schema = ['spec', 'versions', '0', 'schema', 'openAPIV3Schema']
const withJob = ['--set', 'crds.upgradeJob.enabled=true']

describe.skipIf(!availability.available).each(['3', '4'] as const)(
  'definitions with Helm %s on a real kube-apiserver',
  (version) => {
    let cluster: RealCluster
    let client: KubeClient
    let home: string
    let older: string
    let node: AbortController
    let played: Promise<void>

    const tool = (
      name: readonly ['helm', '3' | '4'] | readonly ['kubectl', '1.36'],
      args: readonly string[],
      stdin = '',
    ): Promise<ToolResult> =>
      runTool(name, [...args, '--namespace', 'agents'], {
        kubeconfig: join(home, 'kubeconfig'),
        stdin,
        timeoutMs: 200_000,
      })
    const kubectl = async (args: readonly string[], stdin?: string): Promise<string> => {
      const { code, stdout, stderr } = await tool(['kubectl', '1.36'], args, stdin)
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }
    const helm = (...args: readonly string[]) => tool(['helm', version], args)
    const served = async () =>
      at(
        JSON.parse(await kubectl(['get', 'crd', definition, '--output', 'json'])),
        ...schema,
        ...added,
      )
    const hooksLeft = async () =>
      (await kubectl(['get', 'jobs,serviceaccounts,clusterroles', '--output', 'name']))
        .split('\n')
        .filter((name) => name.endsWith('-crds'))

    /**
     * Takes the place of a node and the Job controller: runs the command of the Job as its ServiceAccount, and reports
     * the result.
     */
    async function playNode(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const { items } = await client.list(JobKind, { namespace: 'agents' })
        for (const job of items.filter(({ status }) => status?.conditions === undefined)) {
          const object = job as unknown as RenderedObject
          await report(object, (await runJob(object)) === 0)
        }
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
    }

    async function runJob(job: RenderedObject): Promise<number | null> {
      const account = String(at(job, 'spec', 'template', 'spec', 'serviceAccountName'))
      const token = (await kubectl(['create', 'token', account])).trim()
      const kubeconfig = join(home, 'job-kubeconfig')
      const text = kubeconfigText({ url: cluster.url, caPem: cluster.caPem, token })
      await writeFile(kubeconfig, text, { mode: 0o600 })
      const [, ...args] = at(containersOf(job)[0], 'command') as readonly string[]
      const child = spawn(process.execPath, args, {
        cwd: root,
        env: {
          ...compileCacheVariable(),
          ...variablesOf(job),
          HOME: home,
          TMPDIR: home,
          KUBECONFIG: kubeconfig,
        },
        stdio: 'ignore',
      })
      return new Promise((resolve) => child.once('close', resolve))
    }

    async function report(job: RenderedObject, isWell: boolean): Promise<void> {
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
      const types = isWell ? ['SuccessCriteriaMet', 'Complete'] : ['FailureTarget', 'Failed']
      const conditions = types.map((type) => ({ type, status: 'True', lastTransitionTime: now }))
      const done = isWell ? { completionTime: now, succeeded: 1 } : { failed: 1 }
      const status = { startTime: now, conditions, ...done }
      const patch = ['--type=merge', '--subresource=status', '--patch', JSON.stringify({ status })]
      await kubectl(['patch', 'job', job.metadata.name, ...patch])
    }

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'agents-definitions-'))
      older = join(home, 'older')
      await cp(chart, older, { recursive: true })
      const own: unknown = parse(await readFile(join(older, file), 'utf8'))
      expect(at(own, ...schema, ...added)).toBeDefined()
      put(own, [...schema, ...added], undefined)
      await writeFile(join(older, file), stringify(own))
      cluster = await startRealCluster({ fsync: false })
      await copyFile(cluster.kubeconfigPath, join(home, 'kubeconfig'))
      await chmod(join(home, 'kubeconfig'), 0o600)
      await kubectl(['create', 'namespace', 'agents'])
      client = createKubeClient(connectionTo(cluster.url, cluster.caPem, cluster.adminToken))
      node = new AbortController()
      played = playNode(node.signal)
    })

    afterAll(async () => {
      node?.abort()
      await played
      client?.close()
      await cluster?.stop()
      if (home) await rm(home, { recursive: true, force: true })
    })

    test('an upgrade without the Job leaves them as Helm installed them', async () => {
      expect((await helm('install', 'agents', older)).stderr).not.toContain('Error')
      await kubectl(['wait', '--for=condition=Established', `crd/${definition}`, '--timeout=60s'])
      const sample = join(chart, 'examples', 'agent-sample.yaml')
      await kubectl(['create', '--filename', sample])
      expect((await helm('upgrade', 'agents', chart)).stderr).not.toContain('Error')
      expect(await served()).toBeUndefined()
    })

    test('an upgrade with the Job updates them to the release, and cleans up', async () => {
      const { code, stderr } = await helm('upgrade', 'agents', chart, ...withJob)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')])
      expect(await served()).toBeDefined()
      await expect.poll(hooksLeft, { timeout: 60_000, interval: 500 }).toEqual([])
    })

    test('a rollback removes nothing', async () => {
      expect((await helm('rollback', 'agents', '1')).code).toBe(0)
      expect(await served()).toBeDefined()
      expect(await kubectl(['get', definition, '--output', 'name'])).toContain('agent.')
      const definitions = await kubectl(['get', 'crd', '--output', 'name'])
      expect(definitions.match(/proompteng\.ai/g)).toHaveLength(25)
    })

    test('an upgrade fails before it changes anything if they have another manager', async () => {
      const text = await readFile(join(older, file), 'utf8')
      const apply = ['apply', '--server-side', '--force-conflicts', '--filename', '-']
      await kubectl([...apply, '--field-manager', 'argocd-controller'], text)
      const before = await kubectl(['get', 'deployments', '--output', 'json'])
      const { code } = await helm('upgrade', 'agents', chart, ...withJob, '--set', 'replicaCount=3')
      expect(code).not.toBe(0)
      expect(await kubectl(['get', 'deployments', '--output', 'json'])).toBe(before)
      expect(await served()).toBeUndefined()
      // The failed Job is kept for debugging.
      expect(await hooksLeft()).toContain('job.batch/agents-crds')
    })

    test('an installation with the Job accepts the definitions that Helm has just installed', async () => {
      await helm('uninstall', 'agents')
      const text = await readFile(join(chart, file), 'utf8')
      const apply = ['apply', '--server-side', '--force-conflicts', '--filename', '-']
      await kubectl([...apply, '--field-manager', 'agents-crds'], text)
      const { code, stderr } = await helm('install', 'agents', chart, ...withJob)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')])
      expect(await served()).toBeDefined()
    })

    test('the command of README and NOTES updates what Helm installed, and the Job works afterwards', async () => {
      await helm('uninstall', 'agents')
      const removal = ['delete', 'crd', definition, '--ignore-not-found']
      expect((await tool(['kubectl', '1.36'], removal)).code).toBe(0)
      const { stdout: notes } = await helm('install', 'agents', older)
      expect(await served()).toBeUndefined()
      const readme = await readFile(join(chart, 'README.md'), 'utf8')
      const [command = ''] = /kubectl apply .* charts\/agents\/crds$/m.exec(readme) ?? []
      expect(notes).toContain(`  ${command}\n`)
      const flags = command.split(' ').slice(1, -1)
      const folder = join(chart, 'crds')
      const unforced = flags.filter((flag) => flag !== '--force-conflicts')
      const refused = await tool(['kubectl', '1.36'], [...unforced, folder])
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('conflict')])
      await kubectl([...flags, folder])
      expect(await served()).toBeDefined()
      const upgrade = await helm('upgrade', 'agents', chart, ...withJob)
      expect([upgrade.code, upgrade.stderr]).toEqual([0, expect.not.stringContaining('Error')])
      expect(await served()).toBeDefined()
    })
  },
)
