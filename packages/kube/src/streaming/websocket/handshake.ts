import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const keySuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export function isWebSocketRequest(headers: IncomingHttpHeaders): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** The subprotocols that a client offers, most preferred first. */
export function offeredProtocols(headers: IncomingHttpHeaders): string[] {
  return (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Why the handshake cannot be completed; undefined if it can. */
export function handshakeProblem(headers: IncomingHttpHeaders): string | undefined {
  if (headers['sec-websocket-version'] !== '13') return 'missing or bad WebSocket Version'
  const key = headers['sec-websocket-key'] ?? ''
  return Buffer.from(key, 'base64').length === 16 ? undefined : 'bad Sec-WebSocket-Key'
}

/** Headers of the server's 101. */
export function acceptHeaders(
  headers: IncomingHttpHeaders,
  protocol: string,
): Record<string, string> {
  return {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-accept': acceptValue(headers['sec-websocket-key'] ?? ''),
    ...(protocol === '' ? {} : { 'sec-websocket-protocol': protocol }),
  }
}

/** Headers of a client's request, and the value with which the server must answer. */
export function requestHeaders(protocols: readonly string[]): {
  readonly headers: Record<string, string>
  readonly accept: string
} {
  const key = randomBytes(16).toString('base64')
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    'sec-websocket-protocol': protocols.join(', '),
  }
  return { headers, accept: acceptValue(key) }
}

function acceptValue(key: string): string {
  return createHash('sha1').update(`${key}${keySuffix}`).digest('base64')
}
