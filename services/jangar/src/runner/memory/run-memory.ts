import { writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { type MemoryRequest, memoryVariables } from '../../run-contract/memory/memory-request.ts'
import { postgresTls } from '../../run-contract/memory/postgres-tls.ts'
import { readStoreAddress } from '../../run-contract/memory/store-address.ts'
import { type Embedding, embed } from './embed.ts'
import { MemoryFailure } from './memory-failure.ts'
import { type MemoryEntry, MemoryStore } from './memory-store.ts'

type Outputs = Readonly<Record<string, unknown>>

const connectMs = 10_000
const statementMs = 30_000
const defaultLimit = 5
/** In bytes. A node cuts what a program reports to 4096. */
const mostOutputBytes = 4092

/** `agent-memory`: executes one operation on a Memory. Returns the exit code. */
export async function runMemory(
  env: Readonly<Record<string, string | undefined>>,
  log: { write(text: string): unknown },
): Promise<number> {
  const report = env.TOOL_OUTPUTS
  const request = env[memoryVariables.request]
  if (report === undefined || request === undefined) {
    log.write('agent-memory is started by the controllers, for steps of kind MemoryOp\n')
    return 2
  }
  try {
    const outputs = await execute(JSON.parse(request), {
      connection: env[memoryVariables.connection] ?? '',
      token: env[memoryVariables.embeddingsToken],
    })
    await writeFile(report, JSON.stringify(outputs))
    return 0
  } catch (error) {
    const message = messageOf(error)
    log.write(`${message}\n`)
    await writeFile(report, message)
    return 1
  }
}

interface Credentials {
  readonly connection: string
  readonly token: string | undefined
}

async function execute(
  request: MemoryRequest,
  { connection, token }: Credentials,
): Promise<Outputs> {
  // Before the connection, which would else be idle meanwhile.
  const embedding = await embeddingOf(request, token)
  const client = await connect(connection)
  try {
    return await operate(request, new MemoryStore(client, request.dataset), embedding)
  } finally {
    // The result is known; a store that does not answer to the end of the connection changes nothing.
    await client.end().catch(() => undefined)
  }
}

async function embeddingOf(
  { operation, value = '', query = '', embeddings }: MemoryRequest,
  token: string | undefined,
): Promise<Embedding | undefined> {
  const text = operation === 'put' ? value : query
  // Models refuse an empty text, which has no meaning.
  if (embeddings === undefined || operation === 'get' || text.trim() === '') return undefined
  return await embed({ ...embeddings, token }, text)
}

async function operate(
  { operation, key = '', value = '', query = '', limit = defaultLimit }: MemoryRequest,
  store: MemoryStore,
  embedding: Embedding | undefined,
): Promise<Outputs> {
  switch (operation) {
    case 'put':
      await store.put({ key, value }, embedding)
      return { key }
    case 'get':
      return found(await store.get(key))
    case 'search':
      return fitting(await store.search(query, limit, embedding))
  }
}

function found(value: string | undefined): Outputs {
  const outputs = { found: value !== undefined, value: value ?? '' }
  if (sizeOf(outputs) <= mostOutputBytes) return outputs
  throw new MemoryFailure(
    `the entry is too large for an output: ${sizeOf(outputs)} bytes; at most ${mostOutputBytes} are possible`,
  )
}

/** As many entries as fit, the best matches first. Others that are smaller are not preferred to them. */
function fitting(all: readonly MemoryEntry[]): Outputs {
  for (let count = all.length; ; count -= 1) {
    const entries = all.slice(0, count)
    const outputs = { count: entries.length, entries, omitted: all.length - entries.length }
    if (count === 0 || sizeOf(outputs) <= mostOutputBytes) return outputs
  }
}

function sizeOf(outputs: Outputs): number {
  return Buffer.byteLength(JSON.stringify(outputs))
}

async function connect(connection: string) {
  const address = readStoreAddress(connection, { postgres: 5432, postgresql: 5432 })
  const tls = address && postgresTls(address)
  if (address === undefined || tls === undefined) {
    throw new MemoryFailure('the Secret of the Memory does not contain a valid connection string')
  }
  const { host, port, user, password, path } = address
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    host,
    port,
    user: user || 'postgres',
    database: path || user || 'postgres',
    // A function even if the password is empty: otherwise the driver would send the one from the environment.
    password: () => password,
    ssl: tls && { ...tls, ...(isIP(host) === 0 && { servername: host }) },
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + connectMs,
    statement_timeout: statementMs,
    application_name: 'agent-memory',
  })
  // Errors after the result are irrelevant.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const sqlState = /^[0-9A-Z]{5}$/

/**
 * The store's own code is shown, and no error of the network: it would tell the author of a Memory which ports are open
 * in the network of the pods.
 */
function messageOf(error: unknown): string {
  if (error instanceof MemoryFailure) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return sqlState.test(code)
    ? `the store refuses the operation (SQLSTATE ${code})`
    : 'the store is not reachable'
}
