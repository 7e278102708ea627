import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { CommandContext } from '../cli/command-context.ts'
import { pathWith, type ServerApi } from './open-server.ts'

interface Wanted {
  readonly namespace: string | undefined
  readonly kind: string | undefined
  readonly since: string | undefined
  readonly until: string | undefined
}

const lineFeed = 10

/** Writes archived runs as JSON lines. The file is there when it is whole. Resolves to how many there are. */
export async function exportTo(
  api: ServerApi,
  wanted: Wanted,
  file: string | undefined,
  { stdout, workingDirectory }: CommandContext,
): Promise<number> {
  const answer = await api.open(pathWith('/v1/archive', { ...wanted }))
  let runs = 0
  const count = (piece: Buffer): void => {
    for (const byte of piece) if (byte === lineFeed) runs += 1
  }
  if (file === undefined) {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      count(piece)
      await stdout.pour(piece)
    }
    return runs
  }
  const path = resolve(workingDirectory, file)
  const partial = `${path}.${randomUUID()}`
  // Runs contain what was asked of agents.
  const handle = await open(partial, 'wx', 0o600)
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      count(piece)
      await handle.writeFile(piece)
    }
    await handle.sync()
    await handle.close()
    await rename(partial, path)
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw error
  }
  return runs
}

interface Imported {
  readonly imported: number
  readonly known: number
}

/** A request, which is stored as a whole, has no more lines and about as many bytes. */
const mostLines = 1_000
const mostBytes = 4 * 1024 * 1024

export async function importFrom(
  api: ServerApi,
  namespace: string | undefined,
  file: string | undefined,
  { terminal, workingDirectory }: CommandContext,
): Promise<Imported> {
  const path = pathWith('/v1/archive', { namespace })
  const input =
    file === undefined ? terminal.stdin : createReadStream(resolve(workingDirectory, file))
  const total = { imported: 0, known: 0 }
  let lines: string[] = []
  let bytes = 0
  const store = async (): Promise<void> => {
    if (lines.length === 0) return
    const sent = { method: 'POST', contentType: 'application/octet-stream' } as const
    const { imported, known } = await api.json<Imported>(path, {
      ...sent,
      body: `${lines.join('\n')}\n`,
    })
    total.imported += imported
    total.known += known
    lines = []
    bytes = 0
  }
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    lines.push(line)
    bytes += Buffer.byteLength(line)
    if (lines.length >= mostLines || bytes >= mostBytes) await store()
  }
  await store()
  return total
}
