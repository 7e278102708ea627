import { createHash, timingSafeEqual } from 'node:crypto'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'

/** Lets a call pass that carries the token. Asked before anything of its body is read. */
export function tokenGate(token: string): (context: HandlerContext) => void {
  const expected = digest(token)
  // Digests are of one length, so the comparison takes the same time whatever was sent.
  const isRight = (sent: string | null | undefined): boolean =>
    typeof sent === 'string' && timingSafeEqual(digest(sent), expected)
  return ({ requestHeader }) => {
    const bearer = /^bearer +(.*)$/i.exec(requestHeader.get('authorization') ?? '')?.[1]
    if (isRight(bearer) || isRight(requestHeader.get('x-jangar-token'))) return
    throw new ConnectError(
      'send the token as "authorization: Bearer …" or "x-jangar-token"',
      Code.Unauthenticated,
    )
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
