import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, listAt, type RenderedObject } from '@agents/chart-tools'
import { createKubeClient, isNotFound, type KubeClient, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chart, type HelmVersion, valuesFile } from '../../support/chart/render.ts'
import { containersOf } from '../../support/chart/workload.ts'
import {
  type RealCluster,
  realClusterAvailable,
  startRealCluster,
} from '../../support/testbed/real-cluster.ts'
import { connectionTo } from '../../support/testbed/server.ts'
import { isFull } from '../../support/tier.ts'
import { runTool, type ToolResult } from '../../support/tools/run-tool.ts'

const availability = await realClusterAvailable()

function digest(letter: string) {
  return `sha256:${letter.repeat(64)}`
}

const base = valuesFile('ci/controllers-values.yaml')
const controllers =
  'deployment-controller,replicaset-controller,namespace-controller,serviceaccount-controller,garbage-collector-controller,root-ca-certificate-publisher-controller,disruption-controller'

/** What an operator would compare before and after: workloads, their accounts and the objects around them. */
interface Snapshot {
  readonly objects: readonly string[]
  readonly workloads: readonly unknown[]
}

const versions: readonly HelmVersion[] = isFull ? ['3', '4'] : ['4']

describe.skipIf(!availability.available).each(versions)(
  'with Helm %s on a real kube-apiserver',
  (version) => {
    let cluster: RealCluster
    let client: KubeClient
    let home: string
    let keeper: AbortController
    let kept: Promise<void>

    const tool = (
      name: readonly ['helm', HelmVersion] | readonly ['kubectl', '1.36'],
      args: readonly string[],
      stdin = '',
    ) =>
      runTool(name, [...args, '--namespace', 'agents'], {
        kubeconfig: join(home, 'kubeconfig'),
        stdin,
        timeoutMs: 280_000,
      })
    const kubectl = (args: readonly string[], stdin?: string) =>
      tool(['kubectl', '1.36'], args, stdin)
    const helm = async (args: readonly string[], values?: unknown): Promise<ToolResult> => {
      const given = values === undefined ? [] : ['--values', '-']
      const result = await tool(['helm', version], [...args, ...given], JSON.stringify(values))
      expect(result.stderr).not.toContain('Error')
      return result
    }
    const wait = ['--wait', '--timeout', '240s']
    const upgrade = (values: unknown) => helm(['upgrade', 'agents', chart, ...wait], values)
    const items = async (kinds: string): Promise<readonly RenderedObject[]> => {
      const { stdout } = await kubectl(['get', kinds, '--output', 'json'])
      return listAt(JSON.parse(stdout), 'items') as readonly RenderedObject[]
    }
    const replicaSets = async () =>
      (await items('replicasets')).map(({ metadata }) => metadata.name).sort()

    async function snapshot(): Promise<Snapshot> {
      const around = await items(
        'deployments,services,serviceaccounts,roles,rolebindings,networkpolicies,poddisruptionbudgets',
      )
      const workloads = around
        .filter(({ kind }) => kind === 'Deployment')
        .map((object) => ({
          name: object.metadata.name,
          selector: at(object, 'spec', 'selector'),
          labels: at(object, 'spec', 'template', 'metadata'),
          containers: containersOf(object),
        }))
      return {
        objects: around.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort(),
        workloads,
      }
    }

    /** Marks every pod as Ready, like a node whose containers start immediately. */
    async function keepPodsReady(signal: AbortSignal): Promise<void> {
      const status = {
        phase: 'Running',
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
          { type: 'ContainersReady', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ],
      }
      const patch = { type: 'merge', body: { status } } as const
      while (!signal.aborted) {
        const { items: pods } = await client.list(PodKind, { namespace: 'agents' })
        for (const pod of pods) {
          const { deletionTimestamp } = pod.metadata
          if (pod.status?.phase !== 'Pending' || deletionTimestamp !== undefined) continue
          await client
            .patch(PodKind, pod.metadata, patch, { subresource: 'status' })
            .catch(unlessGone)
        }
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'agents-chart-life-'))
      cluster = await startRealCluster({
        controllerManager: true,
        controllerManagerFlags: [`--controllers=${controllers}`],
        fsync: false,
      })
      await copyFile(cluster.kubeconfigPath, join(home, 'kubeconfig'))
      await chmod(join(home, 'kubeconfig'), 0o600)
      await kubectl(['create', 'namespace', 'agents'])
      await kubectl([
        'label',
        'namespace',
        'agents',
        'pod-security.kubernetes.io/enforce=restricted',
      ])
      // A controller creates it; waiting for it here makes later comparisons stable.
      await kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=120s'])
      client = createKubeClient(connectionTo(cluster.url, cluster.caPem, cluster.adminToken))
      keeper = new AbortController()
      kept = keepPodsReady(keeper.signal)
      await helm(['install', 'agents', chart, ...wait], base)
    })

    afterAll(async () => {
      keeper?.abort()
      await kept
      client?.close()
      await cluster?.stop()
      if (home) await rm(home, { recursive: true, force: true })
    })

    test('pods are admitted in a namespace that enforces the restricted standard', async () => {
      const pods = await items('pods')
      const components = pods
        .map((pod) => pod.metadata.labels?.['app.kubernetes.io/component'])
        .sort()
      expect(components).toEqual(['control-plane', 'controllers'])
    })

    test.each(['agents', 'agents-controllers'])(
      'kubectl rollout status deploy/%s',
      async (name) => {
        const { code, stdout } = await kubectl([
          'rollout',
          'status',
          `deploy/${name}`,
          '--timeout=240s',
        ])
        expect([code, stdout]).toEqual([0, expect.stringContaining('successfully rolled out')])
      },
    )

    test('a rollback restores the previous state, and does not touch custom resources', async () => {
      const before = await snapshot()
      const sample = join(chart, 'examples')
      const { stderr } = await kubectl([
        'apply',
        '--filename',
        join(sample, 'agentprovider-sample.yaml'),
        '--filename',
        join(sample, 'agent-sample.yaml'),
      ])
      expect(stderr).toBe('')

      await upgrade({
        ...base,
        image: { digest: digest('b') },
        networkPolicy: { enabled: true },
        podDisruptionBudget: { enabled: true },
        rolloutChecksums: { enabled: true, secrets: ['jangar-db-app'] },
        env: { vars: { NEW: 'x' } },
      })
      const during = await snapshot()
      expect(during.objects).toEqual(
        expect.arrayContaining([
          ...before.objects,
          'NetworkPolicy/agents',
          'PodDisruptionBudget/agents',
        ]),
      )
      expect(JSON.stringify(during.workloads)).toContain(digest('b'))

      await helm(['rollback', 'agents', '1', ...wait])
      expect(await snapshot()).toEqual(before)
      expect((await items('agents.agents.proompteng.ai')).length).toBeGreaterThan(0)
    })

    test('a changed digest creates a new ReplicaSet, the same one does not, and disabling it rolls back', async () => {
      const listed = (letter: string) => ({
        ...base,
        rolloutChecksums: {
          enabled: true,
          secrets: [{ name: 'jangar-db-app', checksum: letter.repeat(64) }],
        },
      })
      await upgrade(listed('1'))
      const first = await replicaSets()
      await upgrade(listed('1'))
      expect(await replicaSets()).toEqual(first)
      await upgrade(listed('2'))
      const second = await replicaSets()
      expect(second).toHaveLength(first.length + 2)
      await upgrade(base)
      // The template equals that of the first revision, whose ReplicaSet is reused.
      expect(await replicaSets()).toEqual(second)
    })

    // What every account may do, and all that it may not, is asked by access.check.ts.
    if (isFull) {
      test.each<{ who: string; may: readonly string[]; mayNot: readonly string[] }>([
        {
          who: 'agents-sa',
          may: ['get lease.coordination.k8s.io/agents-controllers'],
          mayNot: [
            'create agentruns.agents.proompteng.ai',
            'list agentruns.agents.proompteng.ai',
            'get secrets',
            'get pods/log',
            'create tokenreviews.authentication.k8s.io',
            'create jobs.batch',
            'update lease.coordination.k8s.io/agents-controllers',
            'list secrets',
            'create secrets',
            'update agentruns.agents.proompteng.ai/status',
            'create pods',
            'patch deployments.apps',
            'create leases.coordination.k8s.io',
            'create rolebindings.rbac.authorization.k8s.io',
          ],
        },
        {
          who: 'agents-controllers',
          may: [
            'create jobs.batch',
            'update agentruns.agents.proompteng.ai/status',
            'watch secrets',
            'create events',
            'create agentruns.agents.proompteng.ai',
            'delete agentruns.agents.proompteng.ai',
            'delete signaldeliveries.signals.proompteng.ai',
            'create persistentvolumeclaims',
            'create leases.coordination.k8s.io',
            'update lease.coordination.k8s.io/agents-controllers',
          ],
          mayNot: [
            'create schedules.schedules.proompteng.ai',
            'create signaldeliveries.signals.proompteng.ai',
            'delete signals.signals.proompteng.ai',
            'create cronjobs.batch',
            'get budgets.budgets.proompteng.ai',
            'create agents.agents.proompteng.ai',
            'delete agents.agents.proompteng.ai',
            'patch budgets.budgets.proompteng.ai',
            'create pods',
            'create pods/exec',
            'patch deployments.apps',
            'update lease.coordination.k8s.io/other',
            'impersonate serviceaccounts',
            'create rolebindings.rbac.authorization.k8s.io',
            'get gittargets.gitops.proompteng.ai',
          ],
        },
      ])('$who may do what it does, and nothing else', async ({ who, may, mayNot }) => {
        const can = async (sentence: string, namespace = 'agents') => {
          const [verb = '', what = ''] = sentence.split(' ')
          const [, resource, sub] = /^([^/]+)(?:\/(.*))?$/.exec(what) ?? []
          const named = resource?.startsWith('lease.') === true
          const target = named
            ? [`${resource}/${sub}`]
            : [resource ?? '', ...(sub ? ['--subresource', sub] : [])]
          const { stdout } = await runTool(
            ['kubectl', '1.36'],
            [
              'auth',
              'can-i',
              verb,
              ...target,
              '--namespace',
              namespace,
              '--as',
              `system:serviceaccount:agents:${who}`,
            ],
            { kubeconfig: join(home, 'kubeconfig') },
          )
          return stdout.trim()
        }
        const answers = await Promise.all(may.map(async (one) => [one, await can(one)]))
        expect(answers).toEqual(may.map((one) => [one, 'yes']))
        const refusals = await Promise.all(mayNot.map(async (one) => [one, await can(one)]))
        expect(refusals).toEqual(mayNot.map((one) => [one, 'no']))
        expect(await can(may[0] ?? '', 'default')).toBe('no')
      })
    }

    test('an uninstallation leaves definitions and custom resources', async () => {
      await helm(['uninstall', 'agents', '--wait', '--timeout', '240s'])
      expect(await items('deployments,services,roles')).toEqual([])
      expect((await items('agents.agents.proompteng.ai')).length).toBeGreaterThan(0)
      const { stdout } = await kubectl(['get', 'crd', '--output', 'name'])
      expect(stdout.match(/proompteng\.ai/g)).toHaveLength(25)
    })
  },
)

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
