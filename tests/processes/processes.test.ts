import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type AgentRun, agentRun, kinds } from '@agents/jangar-api'
import { createKubeClient, type KubeClient, kindRef } from '@agents/kube'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { createLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectionTo, createNamespace, installKinds } from '../status-contract/server.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../testbed/embedded-server.ts'
import { freePort } from '../testbed/free-port.ts'

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
  test.each(['auto', 'true', '1', 'once'])(
    'refuses to migrate: JANGAR_MIGRATIONS=%s',
    async (mode) => {
      const process = start('controllers', { JANGAR_MIGRATIONS: mode })
      expect(await process.ended).toBe(78)
      expect(process.errors()).toContain('JANGAR_MIGRATIONS')
      expect(process.errors()).toContain('Controllers never run migrations')
    },
  )

  test('names everything that is wrong with its settings at once', async () => {
    const process = start('controllers', { PORT: 'eighty', JANGAR_LOG_LEVEL: 'loud' })
    expect(await process.ended).toBe(78)
    expect(process.errors()).toContain('PORT')
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

interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  text(): string
  lines(): Record<string, unknown>[]
  errors(): string
  /** Until a line has this in it. */
  says(text: string): Promise<void>
  probe(path: string): Promise<number>
}

function start(
  name: 'controllers' | 'control-plane',
  environment: Record<string, string>,
): Started {
  const program = join(import.meta.dirname, `../../services/jangar/src/main/${name}.ts`)
  const port = freePort()
  const heard: string[] = []
  let errors = ''
  let child: ChildProcess | undefined
  const ended = port.then(
    (PORT) =>
      new Promise<number | null>((resolve) => {
        child = spawn(process.execPath, [program], {
          env: {
            PATH: '/usr/bin:/bin',
            HOME: directory,
            KUBECONFIG: server.kubeconfigPath,
            PORT: String(PORT),
            JANGAR_HTTP_HOST: '127.0.0.1',
            JANGAR_LOG_FORMAT: 'json',
            ...environment,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        if (child.stdout) createInterface(child.stdout).on('line', (line) => heard.push(line))
        child.stderr?.on('data', (chunk) => {
          errors += chunk
        })
        child.once('close', resolve)
      }),
  )
  onTestFinished(async () => {
    child?.kill('SIGKILL')
    await ended
  })
  return {
    get child() {
      if (!child) throw new Error('not started yet')
      return child
    },
    ended,
    text: () => heard.join('\n') + errors,
    lines: () => heard.map((line) => JSON.parse(line)),
    errors: () => errors,
    says: (text) =>
      expect.poll(() => heard.join('\n') + errors, { timeout: 30_000 }).toContain(text),
    probe: async (path) =>
      fetch(`http://127.0.0.1:${await port}${path}`).then(
        ({ status }) => status,
        () => 0,
      ),
  }
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
