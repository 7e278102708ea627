import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../../services/jangar/package.json' with { type: 'json' }
import { buildGoClient, type Call, type GoClient } from '../../support/grpc/go-client.ts'
import { type ServiceProcess, startService } from '../../support/processes/service-process.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'

const client = await buildGoClient()
const token = 'not-a-real-token'
/** Generous, because the machine may be busy. */
const pollOptions = { timeout: 60_000, interval: 200 }
let server: EmbeddedServer
let kube: KubeClient
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'agents-grpc-'))
  server = await startEmbeddedServer()
  kube = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  await createNamespace(kube, 'agents')
  await installKinds(kube, kinds)
})

afterAll(async () => {
  kube?.close()
  await server?.stop()
  await rm(home, { recursive: true, force: true })
})

describe.skipIf(client === undefined)('a client in Go', () => {
  test('gets the health of the control plane, also with compressed requests', async () => {
    const plane = await startPlane()
    for (const gzip of [false, true]) {
      for (const service of ['', 'proompteng.jangar.v1.AgentctlService']) {
        const { messages, code } = await ask(plane, {
          service: 'Health',
          method: 'Check',
          request: { service },
          gzip,
        })
        expect([code, messages]).toEqual(['OK', [{ status: 'SERVING' }]])
      }
    }
    const unknown = { service: 'Health', method: 'Check', request: { service: 'x' } } as const
    expect((await ask(plane, unknown)).code).toBe('NotFound')
  })

  test('that watches is notified of the shutdown, and then disconnected', async () => {
    const plane = await startPlane()
    const watching = (client as GoClient)(await addressOf(plane), {
      service: 'Health',
      method: 'Watch',
    })
    await expect.poll(() => watching.messages, pollOptions).toEqual([{ status: 'SERVING' }])
    plane.child.kill('SIGTERM')
    expect(await watching.ended).toMatchObject({ code: 'Unavailable' })
    // The process may exit before the last message is sent, which is only best effort.
    expect(watching.messages.at(-1)).toBeOneOf([{ status: 'SERVING' }, { status: 'NOT_SERVING' }])
    expect(await plane.ended).toBe(0)
  })

  test('needs the token for all other services', async () => {
    const plane = await startPlane()
    const call = { service: 'AgentctlService', method: 'GetServerInfo' } as const
    expect((await ask(plane, call)).code).toBe('Unauthenticated')
    expect((await ask(plane, { ...call, token: 'guess' })).code).toBe('Unauthenticated')
    const { messages, code } = await ask(plane, { ...call, token })
    expect([code, messages]).toEqual([
      'OK',
      [{ version: manifest.version, buildSha: 'abc', service: 'agents-control-plane' }],
    ])
  })

  test('gets the leader, its absence, and that one was killed', async () => {
    const plane = await startPlane()
    const controller = async () => {
      const call = { service: 'AgentctlService', method: 'GetControlPlaneStatus', token } as const
      const { messages } = await ask(plane, call)
      const [status] = messages as { controllers: Record<string, unknown>[] }[]
      return status?.controllers[0]
    }
    const first = startProcess('controllers', {})
    await expect.poll(controller, pollOptions).toMatchObject({
      name: 'agents-controller',
      status: 'COMPONENT_STATUS_HEALTHY',
      started: true,
      crdsReady: true,
    })
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    expect(await controller()).toMatchObject({
      status: 'COMPONENT_STATUS_DEGRADED',
      message: 'no leader',
    })
    const second = startProcess('controllers', {})
    await expect.poll(controller, pollOptions).toMatchObject({ status: 'COMPONENT_STATUS_HEALTHY' })
    second.child.kill('SIGKILL')
    await second.ended
    await expect.poll(controller, pollOptions).toMatchObject({
      status: 'COMPONENT_STATUS_DEGRADED',
      message: expect.stringContaining('has not renewed its Lease since'),
    })
  })
})

async function startPlane(): Promise<ServiceProcess> {
  const plane = startProcess('control-plane', {
    JANGAR_AGENTS_CONTROLLER_ENABLED: 'false',
    JANGAR_ORCHESTRATION_CONTROLLER_ENABLED: 'false',
    JANGAR_SUPPORTING_CONTROLLER_ENABLED: 'false',
    JANGAR_GRPC_TOKEN: token,
    JANGAR_BUILD_SHA: 'abc',
  })
  await expect.poll(() => plane.probe('/readyz'), pollOptions).toBe(200)
  return plane
}

function startProcess(
  name: 'control-plane' | 'controllers',
  environment: Record<string, string>,
): ServiceProcess {
  return startService(`services/jangar/src/main/${name}.ts`, {
    KUBECONFIG: server.kubeconfigPath,
    HOME: home,
    JANGAR_POD_NAMESPACE: 'agents',
    JANGAR_LEADER_ELECTION_LEASE_DURATION_SECONDS: '6',
    JANGAR_LEADER_ELECTION_RENEW_DEADLINE_SECONDS: '4',
    JANGAR_LEADER_ELECTION_RETRY_PERIOD_SECONDS: '1',
    ...environment,
  })
}

async function ask(plane: ServiceProcess, call: Call) {
  const { messages, ended } = (client as GoClient)(await addressOf(plane), call)
  const { code } = await ended
  return { code, messages }
}

async function addressOf({ grpcPort }: ServiceProcess): Promise<string> {
  return `127.0.0.1:${await grpcPort}`
}
