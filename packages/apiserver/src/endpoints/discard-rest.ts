import type { IncomingMessage } from 'node:http'

const maxDiscardedBytes = 64 * 1024 * 1024
const maxDiscardMs = 5_000

/**
 * Reads and discards the rest of a body that is answered before its end. If the connection were closed instead, the
 * kernel would reset it, and most clients would not see the response.
 */
export function discardRest(request: IncomingMessage): void {
  let left = maxDiscardedBytes
  const timer = setTimeout(() => request.destroy(), maxDiscardMs).unref()
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.once('close', () => clearTimeout(timer))
  request.resume()
}
