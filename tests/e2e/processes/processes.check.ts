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
import { silentLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startService } from '../../support/processes/service-process.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { connectionTo, createNamespace, installKinds } from '../../support/testbed/server.ts'

/** Generous, because the machine may be busy. */
const pollOptions = { timeout: 120_000 }
/** For a whole test: detects hangs, not slowness. */
const whole = { timeout: 300_000 }
let server: EmbeddedServer
let postgres: LocalPostgres
let client: KubeClient
let directory: string
const log = silentLogger
/** As the chart sets it where the controllers have a process of their own. */
const withoutControllers = {
  JANGAR_AGENTS_CONTROLLER_ENABLED: 'false',
  JANGAR_ORCHESTRATION_CONTROLLER_ENABLED: 'false',
  JANGAR_SUPPORTING_CONTROLLER_ENABLED: 'false',
}

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

  test('reports all invalid settings at once', async () => {
    const process = start('controllers', {
      JANGAR_LEADER_ELECTION_ENABLED: 'perhaps',
      JANGAR_LOG_LEVEL: 'loud',
    })
    expect(await process.ended).toBe(78)
    expect(process.errors()).toContain('JANGAR_LEADER_ELECTION_ENABLED')
    expect(process.errors()).toContain('JANGAR_LOG_LEVEL')
  })

  test('reports what is missing to connect to a cluster', async () => {
    const process = start('controllers', { KUBECONFIG: join(directory, 'nowhere') })
    expect(await process.ended).toBe(1)
    expect(process.errors()).toContain('nowhere')
  })
})

describe('both processes', whole, () => {
  test('wait for the kinds, share the work, archive finished runs, and shut down cleanly', async () => {
    const { url } = postgres
    const plane = start('control-plane', {
      DATABASE_URL: url,
      PGSSLMODE: 'disable',
      ...withoutControllers,
      JANGAR_POD_NAMESPACE: 'agents',
    })
    await plane.waitForOutput('database schema is up to date')
    expect(plane.lines()[0]).toMatchObject({ migrations: 'auto' })
    const workers = start('controllers', {
      DATABASE_URL: url,
      PGSSLMODE: 'disable',
      JANGAR_POD_NAMESPACE: 'agents',
    })
    await workers.waitForOutput('waiting for kinds')
    expect(workers.lines()[0]).toMatchObject({ migrations: 'skip', archive: 'on' })
    await expect.poll(() => workers.probe('/livez'), pollOptions).toBe(200)
    expect(await workers.probe('/readyz')).toBe(500)

    await installKinds(client, kinds)
    await expect.poll(() => workers.probe('/readyz'), pollOptions).toBe(200)
    await expect.poll(() => plane.probe('/readyz'), pollOptions).toBe(200)
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
    await expect.poll(() => archived(url), pollOptions).toEqual(['unsupported'])

    for (const process of [workers, plane]) {
      process.child.kill('SIGTERM')
      expect(await process.ended).toBe(0)
      expect(process.text()).not.toContain(new URL(url).password)
    }
  })

  test('the control plane is alive and not ready while it migrates, and can be stopped', async () => {
    const admin = await connectTo(postgres.url)
    await admin.query('create database migrating')
    const url = postgres.url.replace(/\/agents$/, '/migrating')
    const neighbour = await connectTo(url)
    await neighbour.query('begin')
    // Another transaction is about to create the same table: the migration waits for it.
    await neighbour.query('create table usage_ledger (n int)')
    const settings = {
      DATABASE_URL: url,
      PGSSLMODE: 'disable',
      ...withoutControllers,
      JANGAR_POD_NAMESPACE: 'agents',
    }
    const stopped = start('control-plane', settings)
    await stopped.waitForOutput('migration waits for others')
    expect(await stopped.probe('/livez')).toBe(200)
    expect(await stopped.probe('/readyz')).toBe(500)
    expect(stopped.text()).not.toContain('API listening')
    stopped.child.kill('SIGTERM')
    expect(await stopped.ended).toBe(0)

    const plane = start('control-plane', settings)
    await plane.waitForOutput('migration waits for others')
    await neighbour.query('rollback')
    await expect.poll(() => plane.probe('/readyz'), pollOptions).toBe(200)
    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
  })

  test('migrations can be skipped in an emergency', async () => {
    const plane = start('control-plane', {
      DATABASE_URL: postgres.url,
      JANGAR_MIGRATIONS: 'skip',
      JANGAR_POD_NAMESPACE: 'agents',
    })
    await plane.waitForOutput('migrations skipped')
    expect(plane.lines()[0]).toMatchObject({ migrations: 'skip' })
    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
  })
})

describe('the control plane and gRPC', whole, () => {
  const plain = { ...withoutControllers, JANGAR_POD_NAMESPACE: 'agents' }

  test('reports that it serves, ends open watches, and shuts down cleanly', async () => {
    const plane = start('control-plane', { ...plain, JANGAR_GRPC_TOKEN: 'not-a-real-token' })
    await plane.waitForOutput('gRPC server listening')
    const session = connect(`http://127.0.0.1:${await plane.grpcPort}`)
    session.on('error', () => undefined)
    onTestFinished(() => session.destroy())
    await expect
      .poll(() => ask(session, 'grpc.health.v1.Health/Check'), pollOptions)
      .toEqual(['0', serving])
    const info = 'proompteng.jangar.v1.AgentctlService/GetServerInfo'
    expect(await ask(session, info)).toEqual(['16', ''])
    const [code, answer] = await ask(session, info, { 'x-jangar-token': 'not-a-real-token' })
    expect(code).toBe('0')
    expect(answer).toContain('agents-control-plane')
    const watching = ask(session, 'grpc.health.v1.Health/Watch')
    // Requests are answered in order: once this one is, the watch has been accepted too.
    await ask(session, 'grpc.health.v1.Health/Check')
    plane.child.kill('SIGTERM')
    const [end] = await watching
    expect(end).toBe('14')
    expect(await plane.ended).toBe(0)
    expect(plane.text()).not.toContain('not-a-real-token')
  })

  test('names the setting when the port is in use or invalid', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const port = String((taken.address() as AddressInfo).port)
    const plane = start('control-plane', { ...plain, JANGAR_GRPC_PORT: port })
    expect(await plane.ended).toBe(1)
    expect(plane.text()).toContain('Change JANGAR_GRPC_PORT')
    const unreadable = start('control-plane', { ...plain, JANGAR_GRPC_PORT: 'grpc' })
    expect(await unreadable.ended).toBe(78)
    expect(unreadable.errors()).toContain('JANGAR_GRPC_PORT')
  })

  test('can run without gRPC', async () => {
    const plane = start('control-plane', { ...plain, JANGAR_GRPC_ENABLED: 'false' })
    await expect.poll(() => plane.probe('/readyz'), pollOptions).toBe(200)
    expect(plane.text()).not.toContain('gRPC')
    plane.child.kill('SIGTERM')
    expect(await plane.ended).toBe(0)
  })
})

/** SERVING, as a gRPC message. */
const serving = '\0\0\0\0\u0002\b\u0001'

/** Sends an empty message. Returns the status of the call and the response. */
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

async function connectTo(url: string): Promise<pg.Client> {
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  onTestFinished(() => database.end())
  return database
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
