import { ApiError } from '../../api/api-error.ts'

/** A sender that needs longer for a body is cut. */
const longestMs = 10_000

/** Memory for bodies of strangers: together they cannot take more, however many connections they open. */
export class BodyRoom {
  readonly #bytes: number
  #used = 0

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** Reads a body, and frees its memory when `use` has ended. */
  async read<T>(stream: AsyncIterable<Buffer>, use: (body: Buffer) => Promise<T>): Promise<T> {
    const reading = { size: 0, isLate: false }
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reading.isLate = true
      late.reject(tooSlow())
    }, longestMs)
    try {
      const body = await Promise.race([this.#collect(stream, reading), late.promise])
      clearTimeout(timer)
      return await use(body)
    } finally {
      clearTimeout(timer)
      this.#used -= reading.size
      reading.size = 0
    }
  }

  async #collect(
    stream: AsyncIterable<Buffer>,
    reading: { size: number; isLate: boolean },
  ): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) {
      // Nobody waits for it any more.
      if (reading.isLate) break
      reading.size += chunk.length
      this.#used += chunk.length
      if (this.#used > this.#bytes) {
        throw new ApiError('Unavailable', 'too many deliveries are being read; send it again', {
          ...{ retryAfterMs: 5000, headers: { connection: 'close' } },
        })
      }
      chunks.push(chunk)
    }
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  }
}

function tooSlow(): ApiError {
  const headers = { connection: 'close' }
  return new ApiError('Timeout', 'the body was sent too slowly', { headers })
}
