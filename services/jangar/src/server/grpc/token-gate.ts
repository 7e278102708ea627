import { createHash, timingSafeEqual } from 'node:crypto'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { bearerToken } from '../api/access/bearer-token.ts'

/** Accepts calls that carry the token. Evaluated before the body is read. */
export function tokenGate(token: string): (context: HandlerContext) => void {
  const expected = digest(token)
  // Digests have the same length, so the comparison takes constant time.
  const isRight = (sent: string | null | undefined): boolean =>
    typeof sent === 'string' && timingSafeEqual(digest(sent), expected)
  return ({ requestHeader }) => {
    if (
      isRight(bearerToken(requestHeader.get('authorization'))) ||
      isRight(requestHeader.get('x-jangar-token'))
    )
      return
    throw new ConnectError(
      'send the token as "authorization: Bearer …" or "x-jangar-token"',
      Code.Unauthenticated,
    )
  }
}

/** Refuses all calls: without a token, only local processes may call. */
export function closedGate(): never {
  throw new ConnectError(
    'the server has no token and does not listen on a loopback address, so it accepts only health checks; set JANGAR_GRPC_TOKEN',
    Code.Unauthenticated,
  )
}

/** Whether a server that listens on the address is reachable only from the same host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
