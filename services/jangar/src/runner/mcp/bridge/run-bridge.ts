import { connect, type Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { linesOf } from '../lines.ts'
import type { McpLaunch, McpReport } from '../protocol.ts'
import { serveUrl } from './http-server.ts'
import { serveProgram } from './program-server.ts'
import { createTraffic } from './traffic.ts'

interface BridgeStreams {
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
}

/** What a server is connected with. */
export interface BridgeEnds extends BridgeStreams {
  report(report: McpReport): void
  readonly stop: AbortSignal
}

/** More than the runner shows, so that a secret is not cut in what it masks. */
const longestWords = 8000
const longestLaunchBytes = 4 * 1024 * 1024

/** Stands for one MCP server towards the CLI that started it. Ends with the server, the CLI or the runner. */
export async function runBridge(
  path: string,
  server: string,
  streams: BridgeStreams,
  stop: AbortController,
): Promise<number> {
  const socket = connect(path)
  socket.on('error', () => socket.destroy())
  // A server must not outlive the runner, whatever the CLI does with its processes.
  socket.once('close', () => stop.abort())
  const report = ({ words, ...said }: McpReport) =>
    write(socket, { ...said, ...(words !== undefined && { words: words.slice(0, longestWords) }) })
  write(socket, { server })
  const launch = await firstLine(socket)
  if (launch === undefined) {
    streams.errors.write(`the runner knows no MCP server ${server}, or has ended\n`)
    return 1
  }
  const traffic = createTraffic(launch.tools, () => report({ answered: true }))
  const ends = { ...streams, report, stop: stop.signal }
  try {
    return 'url' in launch
      ? await serveUrl(launch, traffic, ends)
      : await serveProgram(launch, traffic, ends)
  } finally {
    socket.end()
  }
}

function write(socket: Socket, message: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`)
}

async function firstLine(socket: Socket): Promise<McpLaunch | undefined> {
  // The socket stays open for reports.
  const stream = socket.iterator({ destroyOnReturn: false })
  for await (const line of linesOf(stream, longestLaunchBytes)) return JSON.parse(line) as McpLaunch
  return undefined
}
