import type { IncomingHttpHeaders } from 'node:http'
import { StreamFailure } from '../stream-failure.ts'

/** The first protocol of a SPDY client that the server speaks. Throws a StreamFailure with upstream's messages. */
export function negotiateSpdy(headers: IncomingHttpHeaders, protocols: readonly string[]): string {
  if (headers.upgrade === undefined) throw new StreamFailure(400, 'Upgrade request required')
  if (headers.upgrade.toLowerCase() !== 'spdy/3.1') {
    throw new StreamFailure(400, 'unable to upgrade: missing upgrade headers in request')
  }
  const values = [headers['x-stream-protocol-version'] ?? []].flat()
  const offered = values
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (offered.length === 0) {
    throw new StreamFailure(
      400,
      'unable to upgrade: header X-Stream-Protocol-Version does not exist in request',
    )
  }
  const chosen = offered.find((name) => protocols.includes(name))
  if (chosen !== undefined) return chosen
  throw new StreamFailure(
    403,
    `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${protocols.join(' ')}]`,
  )
}

/** Headers of the server's 101. */
export function spdyHeaders(protocol: string): Record<string, string> {
  return {
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    'x-stream-protocol-version': protocol,
  }
}
