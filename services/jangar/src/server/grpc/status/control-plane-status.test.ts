import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import { customResourceDefinition } from '@agents/crd'
import { group, kinds } from '@agents/jangar-api'
import {
  bearer,
  CustomResourceDefinitionKind,
  createKubeClient,
  type KubeClient,
  LeaseKind,
  staticCredentials,
} from '@agents/kube'
import { createLogger, silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import { controlPlaneStatus, type StatusPorts } from './control-plane-status.ts'

const { HEALTHY, DEGRADED, UNKNOWN } = ComponentStatus
/** Generous, for slow machines. */
const pollOptions = { timeout: 30_000 }
const lines: string[] = []
const log = createLogger({ sink: { write: (line) => lines.push(line) } })
const lease = { namespace: 'default', name: 'agents-controller-leader' }
const own = kinds.filter((kind) => kind.group === group.agents)
let server: Awaited<ReturnType<typeof startApiServer>>
let client: KubeClient

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger })
  client = clientWith(server.adminToken)
})

afterAll(async () => {
  client?.close()
  await server?.stop()
})

test('reports the state of a cluster as it is set up step by step', {
  timeout: 60_000,
}, async () => {
  const bare = await ask()
  expect(bare.controllers?.[0]).toMatchObject({
    status: DEGRADED,
    crdsReady: false,
    missingCrds: own.map((kind) => `${kind.plural}.${kind.group}`).toSorted(),
  })
  expect(bare.namespaces).toEqual([
    {
      namespace: 'agents',
      status: DEGRADED,
      degradedComponents: ['agents-controller', 'workflow', 'job'],
    },
  ])

  for (const kind of own) {
    await client.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
  }
  await expect.poll(async () => (await ask()).controllers?.[0]?.crdsReady, pollOptions).toBe(true)
  expect((await ask()).controllers?.[0]).toMatchObject({
    status: DEGRADED,
    message: 'no leader',
  })

  const renewTime = new Date().toISOString().replace('Z', '000Z')
  const spec = { holderIdentity: 'pod-0', leaseDurationSeconds: 3600, renewTime }
  await client.create(LeaseKind, { metadata: { ...lease }, spec })
  const led = await ask({ database: () => undefined })
  expect(led.controllers?.[0]).toMatchObject({ status: HEALTHY, started: true, leader: 'pod-0' })
  expect(led.database).toMatchObject({ connected: true, status: HEALTHY })
  expect(led.database?.latencyMs).toBeGreaterThanOrEqual(0)
  expect(led.namespaces).toEqual([{ namespace: 'agents', status: HEALTHY, degradedComponents: [] }])

  const later = { ...systemClock, now: () => new Date(Date.now() + 7_200_000) }
  const overdue = (await ask({ clock: later })).controllers?.[0]
  expect(overdue).toMatchObject({ status: DEGRADED, started: false, leader: 'pod-0' })
  expect(overdue?.message).toContain(renewTime)
})

test('the error of a database is only logged', async () => {
  const answer = await ask({
    database: () => {
      throw new Error('no route to the host of the database')
    },
  })
  expect(answer.database).toMatchObject({ configured: true, connected: false, status: DEGRADED })
  expect(JSON.stringify(answer.database)).not.toContain('route')
  expect(lines.join('\n')).toContain('no route to the host of the database')
})

test('components that cannot be read are unknown', async () => {
  const unauthorized = clientWith('nobody')
  try {
    const answer = await ask({ client: unauthorized })
    expect(answer.controllers?.[0]).toMatchObject({ status: UNKNOWN, crdsReady: false })
    expect(answer.runtimeAdapters?.[1]).toMatchObject({ name: 'job', status: UNKNOWN })
  } finally {
    unauthorized.close()
  }
})

function ask(change: Partial<StatusPorts> = {}) {
  const ports: StatusPorts = {
    client,
    lease,
    runsControllers: false,
    namespaces: ['agents'],
    cachesFilled: () => true,
    database: undefined,
    address: () => '127.0.0.1:50051',
    log,
    clock: systemClock,
    ...change,
  }
  return controlPlaneStatus(ports, ports.namespaces, new AbortController().signal)
}

function clientWith(token: string): KubeClient {
  return createKubeClient({
    server: server.url,
    namespace: 'default',
    tls: { authority: () => Promise.resolve(server.caCertificate) },
    credentials: staticCredentials({ authorization: bearer(token) }),
  })
}
