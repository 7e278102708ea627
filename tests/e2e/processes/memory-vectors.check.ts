import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startVectorDatabase, type VectorDatabase } from '../../support/testbed/vector-database.ts'

/** Texts about one topic share no word, as texts of the same meaning often do. */
const topics: readonly RegExp[] = [/ship|release|deploy/, /bread|bake|oven/, /invoice|bill/]
const program = join(import.meta.dirname, '../../../services/jangar/src/main/memory.ts')

let folder: string
let database: VectorDatabase
let server: Server
let url: string
let requests: { headers: IncomingHttpHeaders; body: { model: string; input: string } }[]
/** Dimensions of the answers, as another model has others. */
let dimensions: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'memory-vectors-'))
  database = await startVectorDatabase()
  server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request))
    requests.push({ headers: request.headers, body })
    const values = Array.from({ length: dimensions }, (_, at) =>
      topics[at]?.test(body.input) ? 1 : 0.01,
    )
    response.end(JSON.stringify({ data: [{ embedding: values }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

afterAll(async () => {
  server?.close()
  await database?.stop()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  requests = []
  dimensions = 3
  await query('drop table if exists agents_memory_vectors; drop table if exists agents_memory')
})

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const result = await client.query(sql)
    return result.rows ?? []
  } finally {
    await client.end()
  }
}

interface Operation {
  readonly operation: 'put' | 'get' | 'search'
  readonly key?: string
  readonly value?: string
  readonly query?: string
  readonly limit?: number
  readonly embeddings?: object
}

/** Executes `agent-memory`, as a pod does. */
async function execute(operation: Operation, connection = database.url) {
  const report = join(folder, 'report')
  const request = { dataset: 'team/notes', embeddings: { url, model: 'small' }, ...operation }
  const code = await new Promise<number>((resolve) => {
    const env = {
      TOOL_OUTPUTS: report,
      AGENT_MEMORY_CONNECTION: connection,
      AGENT_MEMORY_REQUEST: JSON.stringify(request),
      AGENT_MEMORY_EMBEDDINGS_TOKEN: 'token-of-embeddings',
    }
    const child = execFile(process.execPath, [program], { env }, () => resolve(child.exitCode ?? 1))
  })
  return { code, text: await readFile(report, 'utf8') }
}

async function put(key: string, value: string, rest: object = {}): Promise<void> {
  expect(await execute({ operation: 'put', key, value, ...rest })).toMatchObject({ code: 0 })
}

async function keysOf(words: string, rest: object = {}): Promise<readonly string[]> {
  const { code, text } = await execute({ operation: 'search', query: words, ...rest })
  expect(code, text).toBe(0)
  return JSON.parse(text).entries.map(({ key }: { key: string }) => key)
}

describe('a Memory with embeddings', () => {
  test('finds entries by meaning, and those with the words of the query first', async () => {
    await put('release', 'how we ship')
    await put('kitchen', 'the oven is hot')
    await put('notes', 'release on Fridays')
    // No entry has the word.
    expect(await keysOf('deploy', { limit: 2 })).toEqual(['notes', 'release'])
    expect(await keysOf('release', { limit: 1 })).toEqual(['notes'])
    expect(await keysOf('bake', { limit: 1 })).toEqual(['kitchen'])
    // Without embeddings, words alone count.
    expect(await keysOf('deploy', { embeddings: undefined })).toEqual([])
    expect(requests[0]?.headers.authorization).toBe('Bearer token-of-embeddings')
    expect(requests[0]?.body).toMatchObject({ model: 'small', input: 'how we ship' })
  })

  test('replaces the vector with the value', async () => {
    await put('plan', 'bake bread')
    await put('other', 'the bill')
    await put('plan', 'an invoice')
    expect(await query('select count(*)::int from agents_memory_vectors')).toEqual([{ count: 2 }])
    expect(await keysOf('oven')).toHaveLength(2)
    expect(await keysOf('bill', { limit: 1 })).toEqual(['other'])
    // A vector of the older value would find what is no longer there.
    await put('plan', 'ship it', { embeddings: undefined })
    expect(await query('select key from agents_memory_vectors')).toEqual([{ key: 'other' }])
  })

  test('does not compare vectors of different models, and still finds by words', async () => {
    await put('old', 'the oven is hot')
    dimensions = 2
    await put('new', 'bake bread', { embeddings: { url, model: 'large' } })
    const large = { embeddings: { url, model: 'large' } }
    expect(await keysOf('loaf of bread', large)).toEqual(['new'])
    expect(await keysOf('oven', large)).toContain('old')
    // The same name, and yet other dimensions: the server was changed.
    expect(await keysOf('oven')).toEqual(['old'])
  })

  test('writes nothing if its database has no extension, and says so', async () => {
    const plain = await startVectorDatabase(false)
    onTestFinished(() => plain.stop())
    const put = { operation: 'put', key: 'a', value: 'ship' } as const
    const refused = await execute(put, plain.url)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('extension vector') })
    const read = { operation: 'get', key: 'a' } as const
    expect(await execute(read, plain.url)).toMatchObject({
      code: 0,
      text: expect.stringContaining('"found":false'),
    })
  })

  test('finds nothing in a store without entries', async () => {
    expect(await keysOf('deploy')).toEqual([])
    await put('plain', 'deploy it', { embeddings: undefined })
    expect(await keysOf('deploy')).toEqual(['plain'])
  })
})
