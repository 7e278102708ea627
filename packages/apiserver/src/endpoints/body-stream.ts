import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { acceptsGzip, compressAbove } from './respond.ts'

/** A response body that is written in pieces. Small bodies are still sent uncompressed with a Content-Length. */
interface BodyStream {
  write(piece: Buffer): void
  /** Whether `drain` should be awaited before the next write. */
  isFull(): boolean
  drain(): Promise<void>
  end(): Promise<void>
}

const flushAbove = 64 * 1024

export function createBodyStream(
  request: IncomingMessage,
  response: ServerResponse,
  contentType: string,
): BodyStream {
  let pieces: Buffer[] = []
  let size = 0
  let total = 0
  let started = false
  const useGzip = acceptsGzip(request)
  response.setHeader('Content-Type', contentType)
  let sink: NodeJS.WritableStream = response

  const start = (): void => {
    started = true
    if (!useGzip) return
    response.setHeader('Content-Encoding', 'gzip')
    response.setHeader('Vary', 'Accept-Encoding')
    const gzip = createGzip({ level: 1 })
    gzip.pipe(response)
    // The compressor must not wait for a client that has disconnected.
    response.once('close', () => gzip.destroy())
    gzip.once('error', () => response.destroy())
    sink = gzip
  }

  const flush = async (): Promise<void> => {
    const chunk = Buffer.concat(pieces, size)
    pieces = []
    size = 0
    if (response.destroyed) return
    if (sink.write(chunk)) await setImmediate()
    else await drained(sink, response)
  }

  return {
    write: (piece) => {
      pieces.push(piece)
      size += piece.length
      total += piece.length
    },
    // Buffered while it is too small to be compressed, since it may be the whole body.
    isFull: () => (started ? size > flushAbove : total > compressAbove),
    drain: async () => {
      if (!started) start()
      await flush()
    },
    end: async () => {
      if (!started) {
        response.setHeader('Content-Length', total)
        response.end(Buffer.concat(pieces, size))
        return
      }
      if (size > 0) await flush()
      if (!response.destroyed) sink.end()
    },
  }
}

/** Resolves when more can be written or the client has disconnected. */
function drained(sink: NodeJS.WritableStream, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      sink.removeListener('drain', settle)
      response.removeListener('close', settle)
      resolve()
    }
    sink.on('drain', settle)
    response.on('close', settle)
  })
}
