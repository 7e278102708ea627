import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { extname, join } from 'node:path'
import type { McpServer } from '../../run-contract/mcp-server.ts'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { reachable } from '../submission/socket-path.ts'
import { launchOf } from './launch-of.ts'
import { linesOf, parsedObject } from './lines.ts'
import { createServerRecord, type ServerEvents } from './server-record.ts'

/** The program that a CLI starts as an MCP server. */
export interface McpProgram {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

export interface McpBroker {
  readonly programs: readonly McpProgram[]
  /** Which servers did not work, and their last words. Masked. */
  warnings(hasProgramSucceeded: boolean): string[]
  close(): void
}

interface BrokerOptions {
  readonly servers: readonly McpServer[]
  /** `/workspace/.agent`. */
  readonly agentFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly cli: string
  readonly mask: SecretMask
}

/** Sources in a checkout and in the image, JavaScript in an npm package. */
const bridge = join(import.meta.dirname, `../../main/mcp-bridge${extname(import.meta.filename)}`)

const mostConnections = 64
const longestReportBytes = 64 * 1024

/**
 * Stands between the CLI and its MCP servers. The CLI starts a bridge for each of them, which asks the broker what to
 * start or where to connect: so no configuration of a CLI holds a Secret, all CLIs start servers in the same way, and a
 * server that fails is noticed. The socket protects nothing from the agent, whose user may read all of it.
 */
export async function startMcpBroker(options: BrokerOptions): Promise<McpBroker> {
  const { servers, agentFolder, env, cwd, cli, mask } = options
  await mkdir(agentFolder, { recursive: true })
  const folder = await mkdtemp(join(agentFolder, 'mcp-'))
  const short = await reachable(folder)
  const path = join(short.folder, 's')
  const entries = new Map(
    servers.map((server) => [
      server.name,
      {
        launch: launchOf(server, env, cwd),
        record: createServerRecord(server.name, cli, mask),
      },
    ]),
  )
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    serve(socket, entries).catch(() => socket.destroy())
  })
  listener.maxConnections = mostConnections
  await listening(listener, path)
  return {
    programs: servers.map(({ name }) => ({
      name,
      command: process.execPath,
      args: [bridge, path, name],
    })),
    warnings: (hasProgramSucceeded) =>
      [...entries.values()]
        .map(({ record }) => record.warning(hasProgramSucceeded))
        .filter((warning) => warning !== undefined),
    close() {
      listener.close()
      for (const socket of sockets) socket.destroy()
      // The run has ended: what is left over is found by nobody.
      short.release().catch(() => undefined)
      rm(folder, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

type Entries = ReadonlyMap<
  string,
  {
    readonly launch: ReturnType<typeof launchOf>
    readonly record: ReturnType<typeof createServerRecord>
  }
>

/** A bridge names its server first, and then reports. */
async function serve(socket: Socket, entries: Entries): Promise<void> {
  let events: ServerEvents | undefined
  for await (const line of linesOf(socket, longestReportBytes)) {
    const said = parsedObject(line) ?? {}
    if (events !== undefined) {
      note(events, said)
      continue
    }
    const entry = typeof said.server === 'string' ? entries.get(said.server) : undefined
    if (entry === undefined) break
    events = entry.record.begin()
    socket.write(`${JSON.stringify(entry.launch)}\n`)
  }
  socket.end()
}

function note(events: ServerEvents, { answered, words, ended }: Readonly<Record<string, unknown>>) {
  if (answered === true) events.answered()
  if (typeof words === 'string') events.words(words)
  if (typeof ended === 'string') events.ended(ended)
}

function listening(listener: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(path, () => resolve())
  })
}
