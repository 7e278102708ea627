import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamFailure } from '../stream-failure.ts'
import { negotiateSpdy, spdyHeaders } from '../upgrade/negotiate-spdy.ts'
import { takeOver } from '../upgrade/take-over.ts'
import {
  acceptHeaders,
  handshakeProblem,
  isWebSocketRequest,
  offeredProtocols,
} from '../websocket/handshake.ts'
import { commandProtocols } from './channels.ts'
import type { CommandSession } from './command-session.ts'
import { exitStatus, failureStatus } from './command-status.ts'
import type { CommandStreams, StreamChoice } from './command-streams.ts'
import { openSpdySession, spdyCommandProtocols } from './spdy-session.ts'
import { openWebSocketSession } from './web-socket-session.ts'

/** Runs a command with the streams of a client. Resolves to its exit code. */
export type RunCommand = (streams: CommandStreams) => Promise<number>

interface CommandRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly choice: StreamChoice
  /**
   * Checks the request and prepares the command. Its StreamFailure is sent before the upgrade where upstream does so:
   * over SPDY. Over a WebSocket it is sent on the error channel.
   */
  readonly prepare: () => Promise<RunCommand>
}

/** Serves one exec or attach over WebSocket or SPDY, until the command has ended or the client disconnected. */
export async function serveCommand(one: CommandRequest): Promise<void> {
  const { request, response, choice } = one
  if (!choice.stdin && !choice.stdout && !choice.stderr) {
    throw new StreamFailure(400, 'you must specify at least 1 of stdin, stdout, stderr')
  }
  if (isWebSocketRequest(request.headers)) return serveWebSocket(one)
  const protocol = negotiateSpdy(request.headers, spdyCommandProtocols)
  const run = await one.prepare()
  const connection = takeOver(response, spdyHeaders(protocol))
  const session = await openSpdySession(connection, protocol, choice)
  if (session !== undefined) await runIn(session, () => Promise.resolve(run))
}

async function serveWebSocket(one: CommandRequest): Promise<void> {
  const { request, response, choice } = one
  const offered = offeredProtocols(request.headers)
  const protocol =
    offered.length === 0 ? '' : offered.find((name) => commandProtocols.includes(name))
  const problem = handshakeProblem(request.headers)
  if (protocol === undefined || problem !== undefined) {
    throw new StreamFailure(
      403,
      problem ?? `requested protocol(s) are not supported: [${offered.join(' ')}]`,
    )
  }
  const connection = takeOver(response, acceptHeaders(request.headers, protocol))
  const session = openWebSocketSession(connection, protocol, choice)
  await runIn(session, () => one.prepare().catch((error: unknown) => Promise.reject(late(error))))
}

/** Upstream, the connection to the node is refused when that to the client exists already. */
function late(error: unknown): unknown {
  if (!(error instanceof StreamFailure)) return error
  return new StreamFailure(error.code, `unable to upgrade connection: ${error.message}`)
}

async function runIn(session: CommandSession, prepare: () => Promise<RunCommand>): Promise<void> {
  try {
    const run = await prepare()
    await session.finish(exitStatus(await run(session.streams)))
  } catch (error) {
    const { message } = error instanceof StreamFailure ? error : { message: 'unexpected error' }
    await session.finish(failureStatus(message))
    if (!(error instanceof StreamFailure)) throw error
  }
}
