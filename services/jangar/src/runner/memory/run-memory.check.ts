import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalPostgres, startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { MemoryRequest } from '../../run-contract/memory/memory-request.ts'
import { runMemory } from './run-memory.ts'

let folder: string
let postgres: LocalPostgres
let client: pg.Client

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-memory-'))
  postgres = await startPostgres({ directory: join(folder, 'data'), log: silentLogger })
  client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
})

afterAll(async () => {
  await client.end()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  await client.query('drop table if exists agents_memory')
})

interface Ended {
  readonly code: number
  /** What the program reported: JSON if it succeeded. */
  readonly text: string
  readonly log: string
}

async function execute(
  request: Omit<MemoryRequest, 'dataset'> & { readonly dataset?: string },
  connection = postgres.url,
): Promise<Ended> {
  const report = join(folder, `report-${randomUUID()}`)
  let log = ''
  const env = {
    TOOL_OUTPUTS: report,
    AGENT_MEMORY_CONNECTION: connection,
    AGENT_MEMORY_REQUEST: JSON.stringify({ dataset: 'team/notes', ...request }),
  }
  const code = await runMemory(env, { write: (text) => (log += text) })
  return { code, text: await readFile(report, 'utf8'), log }
}

async function outputsOf(request: Parameters<typeof execute>[0]): Promise<unknown> {
  const { code, text } = await execute(request)
  expect(code, text).toBe(0)
  return JSON.parse(text)
}

function put(key: string, value: string, dataset = 'team/notes'): Promise<unknown> {
  return outputsOf({ dataset, operation: 'put', key, value })
}

describe('an operation on a Memory', () => {
  test('reads what was written, once or twice', async () => {
    expect(await put('plan', 'first')).toEqual({ key: 'plan' })
    expect(await put('plan', 'second')).toEqual({ key: 'plan' })
    expect(await outputsOf({ operation: 'get', key: 'plan' })).toEqual({
      found: true,
      value: 'second',
    })
    const { rows } = await client.query('select count(*)::int as count from agents_memory')
    expect(rows).toEqual([{ count: 1 }])
  })

  test('finds nothing in a store without entries, and creates nothing there', async () => {
    expect(await outputsOf({ operation: 'get', key: 'a' })).toEqual({ found: false, value: '' })
    const nothing = { count: 0, entries: [], omitted: 0 }
    expect(await outputsOf({ operation: 'search', query: 'a' })).toEqual(nothing)
    const { rows } = await client.query("select to_regclass('agents_memory') as found")
    expect(rows).toEqual([{ found: null }])
  })

  test('is confined to its Memory in a database that others share', async () => {
    await put('plan', 'the budget of others', 'other/notes')
    await put('own', 'nothing')
    expect(await outputsOf({ operation: 'get', key: 'plan' })).toMatchObject({ found: false })
    expect(await outputsOf({ operation: 'search', query: 'budget' })).toMatchObject({ count: 0 })
    expect(await outputsOf({ operation: 'put', key: 'plan', value: 'own' })).toEqual({
      key: 'plan',
    })
    const there = { dataset: 'other/notes', operation: 'get', key: 'plan' } as const
    expect(await outputsOf(there)).toEqual({ found: true, value: 'the budget of others' })
  })

  test('creates the table once if several programs put at the same time', async () => {
    const clients = Array.from({ length: 4 }, (_, at) => put(`key-${at}`, 'text'))
    await Promise.all(clients)
    const { rows } = await client.query('select count(*)::int as count from agents_memory')
    expect(rows).toEqual([{ count: 4 }])
  })

  test('finds the best matches first, up to the limit', async () => {
    await put('a', 'deploy the shop')
    await put('b', 'deploy, deploy and deploy again')
    await put('c', 'bake bread')
    const found = (limit?: number) =>
      outputsOf({ operation: 'search', query: 'deploy', ...(limit !== undefined && { limit }) })
    expect(await found()).toMatchObject({ count: 2, entries: [{ key: 'b' }, { key: 'a' }] })
    expect(await found(1)).toMatchObject({ count: 1, entries: [{ key: 'b' }] })
    expect(await outputsOf({ operation: 'search', query: 'deploy -again' })).toMatchObject({
      entries: [{ key: 'a' }],
    })
  })

  test.each([`'; drop table agents_memory; --`, '"$1\\', ') | (\u{1F980}'])(
    'takes %j as text',
    async (text) => {
      await put(text, text)
      expect(await outputsOf({ operation: 'get', key: text })).toEqual({ found: true, value: text })
      expect(await outputsOf({ operation: 'search', query: text })).toHaveProperty('count')
    },
  )

  test('reports as many entries as an output can have', async () => {
    for (let at = 0; at < 5; at += 1) await put(`key-${at}`, `word ${'x'.repeat(1500)}`)
    const { text } = await execute({ operation: 'search', query: 'word' })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4092)
    expect(JSON.parse(text)).toMatchObject({ count: 2, omitted: 3 })
    await client.query("update agents_memory set value = repeat('y', 5000)")
    const large = await execute({ operation: 'get', key: 'key-0' })
    expect(large).toMatchObject({ code: 1, text: expect.stringContaining('too large') })
    expect(large.text).not.toContain('yyy')
  })

  test('does not succeed halfway: without the right to write, nothing is reported', async () => {
    await put('plan', 'first')
    await client.query('drop role if exists viewer')
    await client.query("create role viewer login password 'secret-of-viewer'")
    await client.query('grant select on agents_memory to viewer')
    const url = new URL(postgres.url)
    url.username = 'viewer'
    url.password = 'secret-of-viewer'
    const write = await execute({ operation: 'put', key: 'plan', value: 'x' }, url.href)
    expect(write).toMatchObject({ code: 1, text: expect.stringContaining('42501') })
    const read = await execute({ operation: 'get', key: 'plan' }, url.href)
    expect(read).toMatchObject({ code: 0, text: expect.stringContaining('first') })
  })
})

describe('the report of an operation that failed', () => {
  test('does not say why a port does not answer, nor contains the connection string', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const silent = createServer((socket) => socket.end('no postgres'))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port: other } = silent.address() as { port: number }
    const messages = await Promise.all(
      [port, other].map(async (one) => {
        const connection = `postgres://user:hunter22@127.0.0.1:${one}/db`
        const { code, text, log } = await execute({ operation: 'get', key: 'a' }, connection)
        expect(code).toBe(1)
        expect(text + log).not.toMatch(/hunter22|ECONNREFUSED|127\.0\.0\.1/)
        return text
      }),
    )
    expect(new Set(messages).size).toBe(1)
  })

  test.each(['', 'postgres:///db?host=/var/run', 'https://127.0.0.1', 'postgres://h?sslmode=x'])(
    'names a connection string that cannot be used: %j',
    async (connection) => {
      const ended = await execute({ operation: 'get', key: 'a' }, connection)
      expect(ended).toMatchObject({ code: 1, text: expect.stringContaining('connection string') })
    },
  )

  test('is an exit code without settings', async () => {
    expect(await runMemory({}, { write: () => undefined })).toBe(2)
  })
})
