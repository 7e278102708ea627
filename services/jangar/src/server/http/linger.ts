import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LingerLimits {
  readonly ms: number
  readonly bytes: number
}

const defaultLimits: LingerLimits = { ms: 5_000, bytes: 16 * 1024 * 1024 }

const closing = new WeakSet<object>()

/** Whether the last answer of the connection was sent: later requests on it must not be processed. */
export function isClosing({ socket }: IncomingMessage): boolean {
  return closing.has(socket)
}

/**
 * Ends an answer that was written before the whole body of its request arrived, and closes the connection. A close
 * while the client still sends would reset the connection, and the client would lose the answer. Therefore the rest of
 * the body is read and discarded first, within limits.
 */
export function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  { ms, bytes }: LingerLimits = defaultLimits,
): void {
  closing.add(request.socket)
  let discarded = 0
  const end = (): void => {
    clearTimeout(timer)
    request.off('data', count)
    request.off('end', end)
    response.off('close', end)
    response.end()
  }
  const count = (chunk: Buffer): void => {
    discarded += chunk.length
    if (discarded > bytes) end()
  }
  const timer = setTimeout(end, ms)
  request.on('data', count)
  request.once('end', end)
  response.once('close', end)
  // A reader that stopped early leaves the request paused.
  request.resume()
}
