import type { IncomingMessage, ServerResponse } from 'node:http'

export interface LingerLimits {
  readonly ms: number
  readonly bytes: number
}

const defaultLimits: LingerLimits = { ms: 5_000, bytes: 16 * 1024 * 1024 }

const closing = new WeakSet<object>()

/** Whether the connection has had its last answer: a request that follows on it must not be carried out. */
export function isClosing({ socket }: IncomingMessage): boolean {
  return closing.has(socket)
}

/**
 * Ends an answer that was written before the body of its request had arrived, and with it the connection. Closing while
 * the client still sends would reset the connection, and the client would lose the answer: the rest is taken and
 * forgotten first, within limits.
 */
export function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  { ms, bytes }: LingerLimits = defaultLimits,
): void {
  closing.add(request.socket)
  let taken = 0
  const end = (): void => {
    clearTimeout(timer)
    request.off('data', count)
    request.off('end', end)
    response.off('close', end)
    response.end()
  }
  const count = (chunk: Buffer): void => {
    taken += chunk.length
    if (taken > bytes) end()
  }
  const timer = setTimeout(end, ms)
  request.on('data', count)
  request.once('end', end)
  response.once('close', end)
  // Whoever read the body until now may have left it paused.
  request.resume()
}
