import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type AgentRun, agentRun, kinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient, kindRef } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { createLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectionTo, createNamespace, installKinds } from '../status-contract/server.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../testbed/embedded-server.ts'
import { startService } from './service-process.ts'

/** For what must come; a busy machine takes its time. */
const patience = { timeout: 120_000 }
/** For a whole test: a limit for hangs, not for speed. */
const whole = { timeout: 300_000 }
let server: EmbeddedServer
let postgres: LocalPostgres
let client: KubeClient
let directory: string
const log = createLogger({ sink: { write: () => undefined }, level: 'error' })

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agents-processes-'))
  ;[server, postgres] = await Promise.all([
    startEmbeddedServer(),
    startPostgres({ directory: join(directory, 'postgres'), log }),
  ])
  client = createKubeClient(connectionTo(server.url, server.caPem, server.adminToken))
  await createNamespace(client, 'agents')
})

afterAll(async () => {
  client?.close()
  await server?.stop()
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

describe('the controllers process', whole, () => {
  test.each(['auto', 'once'])('refuses to migrate: JANGAR_MIGRATIONS=%s', async (mode) => {
    const process = start('controllers', { JANGAR_MIGRATIONS: mode })
    expect(await process.ended).toBe(78)
    expect(process.errors()).toContain('JANGAR_MIGRATIONS')
    expect(process.errors()).toContain('Controllers never run migrations')
  })

  test('names everything that is wrong with its settings at once', async () => {
    const process = start('controllers', {
      JANGAR_LEADER_ELECTION_ENABLED: 'perhaps',
      JANGAR_LOG_LEVEL: 'loud',
    })
    expect(await process.ended).toBe(78)
    expect(process.errors()).toContain('JANGAR_LEADER_ELECTION_ENABLED')
    expect(process.errors()).toContain('JANGAR_LOG_LEVEL')
  })

  test('says what is missing to talk to a cluster', async () => {
    const process = start('controllers', { KUBECONFIG: join(directory, 'nowhere') })
    expect(await process.ended).toBe(1)
    expect(process.errors()).toContain('nowhere')
  })
})

describe('both processes', whole, () => {
  test('wait for the kinds, share the work, archive what has ended, and stop in order', async () => {
    const { url } = postgres
    const plane = start('control-plane', {
      DATABASE_URL: url,
      PGSSLMODE: 'disable',
      JANGAR_AGENTS_CONTROLLER_ENABLED: 'false',
      JANGAR_POD_NAMESPACE: 'agents',
    })
    await plane.says('database schema is up to date')
    expect(plane.lines()[0]).toMatchObject({ migrations: 'auto' })
    const workers = start('controllers', {
      DATABASE_URL: url,
      PGSSLMODE: 'disable',
      JANGAR_POD_NAMESPACE: 'agents',
    })
    await workers.says('waiting for kinds')
    expect(workers.lines()[0]).toMatchObject({ migrations: 'skip', archive: 'on' })
    await expect.poll(() => workers.probe('/livez'), patience).toBe(200)
    expect(await workers.probe('/readyz')).toBe(500)

    await installKinds(client, kinds)
    await expect.poll(() => workers.probe('/readyz'), patience).toBe(200)
    await expect.poll(() => plane.probe('/readyz'), patience).toBe(200)
    expect(await workers.probe('/metrics')).toBe(200)

    const runs = kindRef<AgentRun>(agentRun)
    await client.create(runs, {
      metadata: { name: 'unsupported', namespace: 'agents' },
      spec: {
        agentRef: { name: 'nobody' },
        implementation: { inline: { text: 'Nothing.' } },
        runtime: { type: 'temporal' },
      },
    } as never)
    await expect.poll(() => archived(url), patience).toEqual(['unsupported'])

    for (const process of [workers, plane]) {
      process.child.kill('SIGTERM')
      expect(await process.ended).toBe(0)
      expect(process.text()).not.toContain(new URL(url).password)
    }
  })

  test('migrations can be skipped in an emergency', async () => {
    const plane = start('control-plane', {
      DATABASE_URL: postgres.url,
      JANGAR_MIGRATIONS: 'skip',
      JANGAR_POD_NAMESPACE: 'agents',
    })
    await plane.says('migrations are skipped')
    expect(plane.lines()[0]).toMatchObject({ migrations: 'skip' })
    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
  })
})

describe('the control plane and gRPC', whole, () => {
  const plain = { JANGAR_AGENTS_CONTROLLER_ENABLED: 'false', JANGAR_POD_NAMESPACE: 'agents' }

  test('says that it serves, ends those who watch, and stops in order', async () => {
    const plane = start('control-plane', { ...plain, JANGAR_GRPC_TOKEN: 'not-a-real-token' })
    await plane.says('gRPC listens')
    const session = connect(`http://127.0.0.1:${await plane.grpcPort}`)
    session.on('error', () => undefined)
    onTestFinished(() => session.destroy())
    await expect
      .poll(() => ask(session, 'grpc.health.v1.Health/Check'), patience)
      .toEqual(['0', serving])
    const info = 'proompteng.jangar.v1.AgentctlService/GetServerInfo'
    expect(await ask(session, info)).toEqual(['16', ''])
    const [code, answer] = await ask(session, info, { 'x-jangar-token': 'not-a-real-token' })
    expect(code).toBe('0')
    expect(answer).toContain('agents-control-plane')
    const watching = ask(session, 'grpc.health.v1.Health/Watch')
    // An answer to a later question: the earlier one has arrived too.
    await ask(session, 'grpc.health.v1.Health/Check')
    plane.child.kill('SIGTERM')
    const [end] = await watching
    expect(end).toBe('14')
    expect(await plane.ended).toBe(0)
    expect(plane.text()).not.toContain('not-a-real-token')
  })

  test('names the setting when the port is taken, or is none', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    const plane = start('control-plane', { ...plain, JANGAR_GRPC_PORT: port })
    expect(await plane.ended).toBe(1)
    expect(plane.text()).toContain('Set JANGAR_GRPC_PORT')
    const unreadable = start('control-plane', { ...plain, JANGAR_GRPC_PORT: 'grpc' })
    expect(await unreadable.ended).toBe(78)
    expect(unreadable.errors()).toContain('JANGAR_GRPC_PORT')
  })

  test('can do without', async () => {
    const plane = start('control-plane', { ...plain, JANGAR_GRPC_ENABLED: 'false' })
    await expect.poll(() => plane.probe('/readyz'), patience).toBe(200)
    expect(plane.text()).not.toContain('gRPC')
    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
  })
})

/** SERVING, as a message of gRPC. */
const serving = '\0\0\0\0\u0002\b\u0001'

/** The status of a call with an empty message, and what was answered. */
async function ask(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): Promise<readonly [status: string, answer: string]> {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${path}`,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  let status = ''
  const note = (head: Record<string, unknown>): void => {
    status = String(head['grpc-status'] ?? status)
  }
  stream.on('response', note)
  stream.on('trailers', note)
  stream.end(Buffer.alloc(5))
  const answer = await text(stream)
  return [status, answer]
}

function start(name: 'controllers' | 'control-plane', environment: Record<string, string>) {
  const common = { KUBECONFIG: server.kubeconfigPath, HOME: directory }
  return startService(`services/jangar/src/main/${name}.ts`, { ...common, ...environment })
}

async function archived(url: string): Promise<string[]> {
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  try {
    return (await database.query('select name from run_archive')).rows.map(({ name }) => name)
  } finally {
    await database.end()
  }
}
