import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RenderedObject } from '@agents/chart-tools'
import {
  CustomResourceDefinitionKind,
  createKubeClient,
  DeploymentKind,
  type KubeClient,
} from '@agents/kube'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { chart } from '../../support/chart/render.ts'
import { variablesOf } from '../../support/chart/workload.ts'
import { type ServiceProcess, startService } from '../../support/processes/service-process.ts'
import {
  type AuthorityServer,
  bestAuthority,
  startAuthority,
} from '../../support/testbed/authority.ts'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { connectionTo } from '../../support/testbed/server.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { put } from '../mutate.ts'
import { type PodPlayer, playPods } from './pod-player.ts'

const definition = 'agents.agents.proompteng.ai'
const definitionFile = join(chart, 'crds', 'agents.proompteng.ai_agents.yaml')
const services = {
  plane: 'agents.agents.svc:80',
  grpc: 'agents-grpc.agents.svc:50051',
  controllers: 'agents-controllers-metrics.agents.svc:9090',
}

/** `helm test` of a release whose pods run as processes, with faults that it must name. */
export function testHelmTest(version: '3' | '4'): void {
  describe(`helm test with Helm ${version} on the ${bestAuthority} API server`, () => {
    let server: AuthorityServer
    let client: KubeClient
    let home: string
    let player: PodPlayer
    const addresses: Record<string, string> = {}

    const tool =
      (name: readonly ['helm', '3' | '4'] | readonly ['kubectl', '1.36']) =>
      async (args: readonly string[], stdin = '') =>
        runTool(name, [...args, '--namespace', 'agents'], {
          kubeconfig: server.kubeconfigPath,
          timeoutMs: 240_000,
          stdin,
        })
    const helm = tool(['helm', version])
    const kubectl = async (args: readonly string[], stdin?: string): Promise<string> => {
      const { code, stdout, stderr } = await tool(['kubectl', '1.36'])(args, stdin)
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }

    /** A kubeconfig with only the permissions that the chart gives the account. */
    async function kubeconfigOf(account: string): Promise<string> {
      const token = (await kubectl(['create', 'token', account])).trim()
      return kubeconfigText({ url: server.url, caPem: server.caPem, token })
    }

    const accountOf = { agents: 'agents-sa', 'agents-controllers': 'agents-controllers' } as const

    /** Starts a process as its Deployment declares it, except for the ports. */
    async function start(
      name: 'agents' | 'agents-controllers',
      { account = accountOf[name], ...changed }: { account?: string; [name: string]: string } = {},
    ): Promise<ServiceProcess> {
      const deployment = await client.get(DeploymentKind, { namespace: 'agents', name })
      const { JANGAR_GRPC_PORT, ...environment } = variablesOf(
        deployment as unknown as RenderedObject,
      )
      expect(services.grpc).toContain(JANGAR_GRPC_PORT ?? '')
      const kubeconfig = join(home, `${name}-${account}.kubeconfig`)
      await writeFile(kubeconfig, await kubeconfigOf(account), { mode: 0o600 })
      const source = name === 'agents' ? 'control-plane' : 'controllers'
      const process = startService(`services/jangar/src/main/${source}.ts`, {
        ...environment,
        KUBECONFIG: kubeconfig,
        HOME: home,
        JANGAR_POD_NAMESPACE: 'agents',
        JANGAR_GRPC_HOST: '127.0.0.1',
        ...changed,
      })
      const own = `127.0.0.1:${await process.port}`
      const addressOfGrpc = `127.0.0.1:${await process.grpcPort}`
      if (name === 'agents') {
        Object.assign(addresses, { [services.plane]: own, [services.grpc]: addressOfGrpc })
      } else {
        Object.assign(addresses, { [services.controllers]: own })
      }
      return process
    }

    const ready = (process: ServiceProcess) =>
      expect.poll(() => process.probe('/readyz'), { timeout: 120_000, interval: 500 }).toBe(200)

    async function startBoth(): Promise<void> {
      const [plane, controllers] = await Promise.all([start('agents'), start('agents-controllers')])
      await Promise.all([ready(plane), ready(controllers)])
    }

    async function expectPass(): Promise<void> {
      player.forget()
      const { code, stdout, stderr } = await helm(['test', 'agents', '--timeout', '200s'])
      expect([code, stdout], `${stderr}\n${player.log('agents-test')}`).toEqual([
        0,
        expect.stringMatching(/Phase:\s+Succeeded/),
      ])
    }

    /** Expects that helm test fails, and the reason in the log of one of the pods. */
    async function expectFailure(pod: string, line: RegExp): Promise<void> {
      player.forget()
      const { code, stdout, stderr } = await helm(['test', 'agents', '--timeout', '200s'])
      expect(player.log(pod)).toMatch(line)
      expect(code).not.toBe(0)
      expect(`${stdout}${stderr}`).toContain(pod)
    }

    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'agents-helm-test-'))
      server = await startAuthority(bestAuthority)
      client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
      await kubectl(['create', 'namespace', 'agents'])
      const restricted = 'pod-security.kubernetes.io/enforce=restricted'
      await kubectl(['label', 'namespace', 'agents', restricted])
      const values = {
        controllers: { enabled: true },
        tests: { enabled: true, timeoutSeconds: 4 },
      }
      const install = ['install', 'agents', chart, '--values', '-']
      const { code, stderr } = await helm(install, JSON.stringify(values))
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('Error')])
      player = playPods({ client, namespace: 'agents', home, addresses, kubeconfigOf })
    })

    afterAll(async () => {
      await player?.stop()
      client?.close()
      await server?.stop()
      await rm(home, { recursive: true, force: true })
    })

    test('passes if everything works, and keeps its pods for their logs', async () => {
      await startBoth()
      await expectPass()
      expect(player.log('agents-test').split('\n')).toEqual([
        expect.stringMatching(/^ok {5}http {2}http:\/\/agents\.agents\.svc\/readyz is ready$/),
        expect.stringMatching(/^ok {5}http {2}http:\/\/agents-controllers-metrics\S+ is ready$/),
        expect.stringMatching(/^ok {5}grpc {2}agents-grpc\.agents\.svc:50051 is serving$/),
        'ok     crds  all 25 kinds are served in the versions of this build',
        '',
      ])
      for (const [name, account] of Object.entries(accountOf)) {
        expect(player.log(`${name}-test-rbac`)).toMatch(
          new RegExp(
            `^ok {5}rbac {2}system:serviceaccount:agents:${account} has all \\d+ required permissions`,
          ),
        )
      }
      expect((await kubectl(['get', 'pods', '--output', 'name'])).trim().split('\n')).toEqual([
        'pod/agents-controllers-test-rbac',
        'pod/agents-test',
        'pod/agents-test-rbac',
      ])
    })

    test('fails if gRPC is disabled or the process has stopped', async () => {
      const [plane, controllers] = await Promise.all([
        start('agents', { JANGAR_GRPC_ENABLED: 'false' }),
        start('agents-controllers'),
      ])
      await Promise.all([ready(plane), ready(controllers)])
      await expectFailure(
        'agents-test',
        /^bad {4}grpc {2}agents-grpc\S+: the connection was refused\. Check/m,
      )
      expect(player.log('agents-test')).toMatch(/^ok {5}http {2}http:\/\/agents\.agents\.svc/m)
      plane.child.kill('SIGTERM')
      expect(await plane.ended).toBe(0)
      await expectFailure(
        'agents-test',
        /^bad {4}http {2}http:\/\/agents\.\S+: the connection was refused/m,
      )
    })

    test('fails if a process is not ready, and names the failing check', async () => {
      // An account without permissions: the processes answer, but their caches never sync.
      await kubectl(['create', 'serviceaccount', 'nobody'])
      const [plane, controllers] = await Promise.all([
        start('agents'),
        start('agents-controllers', { account: 'nobody' }),
      ])
      await ready(plane)
      await expect
        .poll(() => controllers.probe('/readyz'), { timeout: 120_000, interval: 500 })
        .toBe(500)
      await expectFailure(
        'agents-test',
        /^bad {4}http {2}http:\/\/agents-controllers-metrics\S+: not ready \([^)]+\)\. The log/m,
      )
      expect(player.log('agents-test')).toMatch(/^ok {5}http {2}http:\/\/agents\.agents\.svc/m)
    })

    test('fails if a rule is missing from a Role', async () => {
      await startBoth()
      const role = JSON.parse(
        await kubectl(['get', 'role', 'agents-controllers', '--output', 'json']),
      ) as { metadata: object; rules: { resources: string[] }[] }
      const replace = (rules: unknown) => {
        const metadata = { ...role.metadata, resourceVersion: undefined }
        return kubectl(['replace', '--filename', '-'], JSON.stringify({ ...role, metadata, rules }))
      }
      onTestFinished(async () => void (await replace(role.rules)))
      const kept = role.rules.filter(({ resources }) => !resources.includes('jobs'))
      expect(kept).toHaveLength(role.rules.length - 1)
      await replace(kept)
      await expectFailure(
        'agents-controllers-test-rbac',
        /^bad {4}rbac {2}system:serviceaccount:agents:agents-controllers is not allowed to create jobs\.batch in agents, .*\. Compare its Roles/,
      )
    })

    test('fails if a definition is older or missing', async () => {
      await startBoth()
      const text = await readFile(definitionFile, 'utf8')
      const apply = ['apply', '--server-side', '--force-conflicts', '--filename', '-']
      onTestFinished(async () => {
        await kubectl(apply, text)
      })
      const older: unknown = parse(text)
      const field = 'spec.versions.0.schema.openAPIV3Schema.properties.spec.properties.memoryRef'
      put(older, field.split('.'), undefined)
      await kubectl(['replace', '--filename', '-'], JSON.stringify(older))
      await expectFailure(
        'agents-test',
        new RegExp(
          `^bad {4}crds {2}${definition} is older than this build \\(it lacks v1alpha1 .spec.memoryRef`,
          'm',
        ),
      )
      await client.delete(CustomResourceDefinitionKind, { name: definition })
      await expectFailure(
        'agents-test',
        new RegExp(`^bad {4}crds {2}${definition} is not installed\\.`, 'm'),
      )
    })

    test('passes again when everything is repaired', async () => {
      await startBoth()
      await expectPass()
    })
  })
}
