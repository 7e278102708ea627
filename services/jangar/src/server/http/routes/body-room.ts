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
    let size = 0
    try {
      const chunks: Buffer[] = []
      for await (const chunk of timely(stream)) {
        size += chunk.length
        this.#used += chunk.length
        if (this.#used > this.#bytes) {
          throw new ApiError('Unavailable', 'too many deliveries are being read; send it again', {
            ...{ retryAfterMs: 5000, headers: { connection: 'close' } },
          })
        }
        chunks.push(chunk)
      }
      return await use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    } finally {
      this.#used -= size
    }
  }
}

async function* timely(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const iterator = stream[Symbol.asyncIterator]()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = new ApiError('Timeout', 'the body was sent too slowly', {
      headers: { connection: 'close' },
    })
    timer = setTimeout(() => reject(error), longestMs)
  })
  late.catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), late])
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(timer)
  }
}
