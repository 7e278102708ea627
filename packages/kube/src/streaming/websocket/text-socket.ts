import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { takeOver } from '../upgrade/take-over.ts'
import { encodeFrame, opcodes } from './frame.ts'
import { acceptHeaders, handshakeProblem, offeredProtocols } from './handshake.ts'
import { WebSocket } from './web-socket.ts'

/** A WebSocket that sends text, and ignores what it receives. */
export interface TextSocket {
  readonly stream: Duplex
  /** Resolves when the connection has closed, for whatever reason. */
  readonly closed: Promise<void>
  /** Encodes a message, to be written to `stream`. */
  frame(text: Uint8Array): Buffer
  end(): void
}

/** Accepts a WebSocket with the subprotocol that the client offers. Returns the reason if the handshake is invalid. */
export function openTextSocket(
  { headers }: IncomingMessage,
  response: ServerResponse,
): TextSocket | string {
  const problem = handshakeProblem(headers)
  if (problem !== undefined) return problem
  const [protocol = '', ...others] = offeredProtocols(headers)
  if (others.length > 0) return 'bad WebSocket protocol'
  const stream = takeOver(response, acceptHeaders(headers, protocol))
  const socket = new WebSocket(stream, { role: 'server', onPart: () => undefined })
  return {
    stream,
    closed: socket.closed,
    frame: (text) => encodeFrame(opcodes.text, text, false),
    end: () => socket.end(),
  }
}
