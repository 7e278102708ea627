import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, type RenderedObject } from '@agents/chart-tools'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { BareRemote } from '../../../packages/git/src/testing/bare-remote.ts'
import { chart, find, render } from '../../support/chart/render.ts'
import { containersOf, variablesOf } from '../../support/chart/workload.ts'
import {
  type Authority,
  type AuthorityServer,
  authorities,
  bestAuthority,
  startAuthority,
} from '../../support/testbed/authority.ts'
import { compileCacheVariable } from '../../support/testbed/compile-cache.ts'
import { freePort } from '../../support/testbed/free-port.ts'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { isFull } from '../../support/tier.ts'
import { runTool } from '../../support/tools/run-tool.ts'

const root = join(import.meta.dirname, '../../..')
const log = silentLogger

let postgres: LocalPostgres
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-privilege-'))
  postgres = await startPostgres({ directory: join(folder, 'postgres'), log })
})

afterAll(async () => {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

/**
 * The chart, installed in a namespace of an API server that enforces its Roles, with its processes started as its
 * Deployments declare them.
 */
interface Installation {
  readonly namespace: string
  kubectl(...args: readonly string[]): Promise<string>
  create(...objects: readonly object[]): Promise<void>
  start(deployment: string): Promise<Running>
}

interface Running {
  readonly output: () => string
  ready(): Promise<number>
  /** The exit code; undefined while it runs. */
  readonly code: () => number | null | undefined
}

let installations = 0

async function install(values: unknown, server: AuthorityServer): Promise<Installation> {
  installations += 1
  const namespace = `agents-${installations}`
  const kubectl = async (args: readonly string[], stdin = '') => {
    const options = { kubeconfig: server.kubeconfigPath, stdin }
    const { code, stdout, stderr } = await runTool(
      ['kubectl', '1.36'],
      [...args, '--namespace', namespace],
      options,
    )
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  const { manifest, objects, errors } = await render(values, { namespace })
  expect(errors).toBe('')
  await kubectl(['create', 'namespace', namespace])
  await kubectl(['create', '--filename', '-'], manifest)
  return {
    namespace,
    kubectl: (...args) => kubectl(args),
    create: async (...objects) => {
      const text = objects.map((object) => JSON.stringify(object)).join('\n')
      await kubectl(['create', '--filename', '-'], text)
    },
    start: async (name) => {
      const deployment = find(objects, 'Deployment', name)
      const account = String(at(deployment, 'spec', 'template', 'spec', 'serviceAccountName'))
      const token = (await kubectl(['create', 'token', account])).trim()
      const kubeconfig = join(await mkdtemp(join(folder, 'home-')), 'kubeconfig')
      await writeFile(kubeconfig, kubeconfigText({ url: server.url, caPem: server.caPem, token }), {
        mode: 0o600,
      })
      return startProcess(deployment, kubeconfig, namespace)
    },
  }
}

/** Runs the container's command with its variables, except those that only a pod has. */
async function startProcess(
  deployment: RenderedObject,
  kubeconfig: string,
  namespace: string,
): Promise<Running> {
  const port = String(await freePort())
  const home = join(kubeconfig, '..')
  const command = at(containersOf(deployment)[0], 'command') as readonly string[]
  const child = spawn(process.execPath, command.slice(1), {
    cwd: root,
    env: {
      PATH: '/usr/bin:/bin',
      ...compileCacheVariable(),
      ...variablesOf(deployment),
      HOME: home,
      TMPDIR: home,
      KUBECONFIG: kubeconfig,
      PORT: port,
      JANGAR_GRPC_PORT: String(await freePort()),
      GITTARGET_PORT: port,
      GITTARGET_STATE_DIR: join(home, 'state'),
      GITTARGET_POD_NAMESPACE: namespace,
      JANGAR_POD_NAMESPACE: namespace,
      DATABASE_URL: postgres.url,
      PGSSLMODE: 'disable',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  let code: number | null | undefined
  const ended = new Promise<void>((resolve) =>
    child.once('close', (exitCode) => {
      code = exitCode
      resolve()
    }),
  )
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    output: () => output,
    code: () => code,
    ready: () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
  }
}

function refusals(running: Running) {
  return running
    .output()
    .split('\n')
    .filter((line) => /forbidden|\b403\b|not allowed to watch|waiting for kinds/i.test(line))
}

const smoke = ['agentprovider', 'agent', 'implementationspec', 'agentrun'].flatMap((kind) => [
  '--filename',
  join(chart, 'examples', `${kind}-smoke.yaml`),
])

/** A ConfigMap, and the objects that mirror it. */
function mirror(url: string, namespace: string): readonly object[] {
  const group = { apiVersion: 'gitops.proompteng.ai/v1alpha1' }
  const named = (name: string) => ({ metadata: { name, namespace } })
  const push = { commitWindow: '50ms', maxWindow: '500ms' }
  const rule = { resources: ['configmaps'], excludeNames: ['kube-root-ca.crt'] }
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', ...named('flags'), data: { a: '1' } },
    {
      ...group,
      kind: 'GitProvider',
      ...named('repository'),
      spec: { url, allowedBranches: ['main'], push },
    },
    {
      ...group,
      kind: 'GitTarget',
      ...named('mirror'),
      spec: { providerRef: { name: 'repository' }, branch: 'main', path: 'cluster' },
    },
    {
      ...group,
      kind: 'WatchRule',
      ...named('rule'),
      spec: { targetRef: { name: 'mirror' }, rules: [rule] },
    },
  ]
}

const servers: readonly Authority[] = isFull ? authorities : [bestAuthority]

describe.each(servers)('on the %s API server', (authority) => {
  let server: AuthorityServer

  beforeAll(async () => {
    server = await startAuthority(authority)
    const create = ['create', '--filename', join(chart, 'crds')]
    const { code, stderr } = await runTool(['kubectl', '1.36'], create, {
      kubeconfig: server.kubeconfigPath,
    })
    expect([code, stderr]).toEqual([0, ''])
  })

  afterAll(() => server?.stop())

  describe('a run gets its Job with only the permissions of the chart', () => {
    const everywhere = {
      controllers: { enabled: true },
      controller: { namespaces: ['*'] },
      rbac: { clusterScoped: true },
    }
    test.each([
      { who: 'agents-controllers', values: { controllers: { enabled: true } } },
      { who: 'agents', values: {} },
      ...(isFull ? [{ who: 'agents-controllers', values: everywhere }] : []),
    ])('as $who with $values', async ({ who, values }) => {
      const { kubectl, start } = await install(values, server)
      const running = await start(who)
      await expect.poll(running.ready, { timeout: 120_000, interval: 500 }).toBe(200)
      await kubectl('create', ...smoke)
      await expect
        .poll(() => kubectl('get', 'jobs', '--output', 'name'), {
          timeout: 120_000,
          interval: 1000,
        })
        .toMatch(/job\.batch\/agents-smoke/)
      await expect
        .poll(() => kubectl('get', 'events', '--output', 'name'), {
          timeout: 120_000,
          interval: 1000,
        })
        .toContain('event/')
      // The garbage collector of Kubernetes is a separate program, which does not run here.
      const wait = authority === 'embedded' ? ['--wait=true', '--timeout=120s'] : ['--wait=false']
      await kubectl('delete', 'agentrun', 'agents-smoke', ...wait)
      expect(refusals(running)).toEqual([])
    })
  })

  test('a missing permission is noticed', async () => {
    const { start } = await install(
      {
        controllers: { enabled: true },
        rbac: { features: { jobs: false } },
      },
      server,
    )
    const running = await start('agents-controllers')
    await expect.poll(() => refusals(running).length, { timeout: 120_000 }).toBeGreaterThan(0)
    expect(await running.ready()).not.toBe(200)
  })

  test('the control plane next to controllers requests nothing that is forbidden', async () => {
    const { start } = await install({ controllers: { enabled: true } }, server)
    const running = await start('agents')
    await expect.poll(running.ready, { timeout: 120_000, interval: 500 }).toBe(200)
    expect(refusals(running)).toEqual([])
  })

  test.each([{}, ...(isFull ? [{ namespaces: ['*'] }] : [])])(
    'the operator mirrors with only the permissions of the chart, %j',
    async (own) => {
      const values = {
        gitTargetController: {
          enabled: true,
          env: { vars: { GITTARGET_ALLOW_FILE_REPOSITORIES: 'true' } },
          ...own,
        },
        rbac: { clusterScoped: 'namespaces' in own },
      }
      const { namespace, start, create, kubectl } = await install(values, server)
      const running = await start('agents-gittarget')
      await expect.poll(running.ready, { timeout: 120_000, interval: 500 }).toBe(200)
      const remote = await BareRemote.create()
      onTestFinished(() => remote.remove())
      await create(...mirror(remote.url, namespace))
      const ready = ['--for=condition=Ready=true', 'gittarget/mirror', '--timeout=120s']
      expect(await kubectl('wait', ...ready)).toBe(
        'gittarget.gitops.proompteng.ai/mirror condition met\n',
      )
      const files = () => remote.git('ls-tree', '-r', '--name-only', 'main')
      await expect.poll(files, { timeout: 120_000, interval: 500 }).toContain('configmaps/flags')
      expect(refusals(running)).toEqual([])
    },
  )

  test.each(['agents-controllers', ...(isFull ? ['agents'] : [])])(
    '%s exits when its configuration changes, with permission for those objects only',
    async (who) => {
      const { kubectl, start } = await install(
        {
          controllers: { enabled: true },
          configReload: { mode: 'exit', jitterSeconds: 0 },
          rolloutChecksums: { secrets: ['token', 'missing'], configMaps: ['flags'] },
        },
        server,
      )
      await kubectl('create', 'secret', 'generic', 'token', '--from-literal=a=1')
      const running = await start(who)
      await expect.poll(running.ready, { timeout: 120_000, interval: 500 }).toBe(200)
      await kubectl('label', 'secret', 'token', 'changed=yes')
      expect(running.code()).toBeUndefined()
      // The first content that it observes counts as the one that it started with.
      let value = 1
      const change = async () => {
        value += 1
        await kubectl('patch', 'secret', 'token', '--patch', `{"stringData":{"a":"${value}"}}`)
        return running.code()
      }
      await expect.poll(change, { timeout: 120_000, interval: 500 }).toBe(0)
      expect(running.output()).toContain('configuration changed')
      expect(running.output()).not.toContain('watch of a configuration source failed')
    },
  )
})
