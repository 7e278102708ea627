import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentRun, agentRun, kinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient, kindRef } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { createLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectionTo, createNamespace, installKinds } from '../status-contract/server.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../testbed/embedded-server.ts'
import { startService } from './service-process.ts'

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

describe('the controllers process', () => {
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

describe('both processes', () => {
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
    expect(await workers.probe('/livez')).toBe(200)
    expect(await workers.probe('/readyz')).toBe(500)

    await installKinds(client, kinds)
    await expect.poll(() => workers.probe('/readyz'), { timeout: 30_000 }).toBe(200)
    expect(await plane.probe('/readyz')).toBe(200)
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
    await expect.poll(() => archived(url), { timeout: 30_000 }).toEqual(['unsupported'])

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
