import type { SpdyStream } from '../spdy/spdy-stream.ts'

/** The two streams of one forwarded connection. */
export interface StreamPair {
  readonly port: number
  readonly data: SpdyStream
  readonly error: SpdyStream
}

/** How long a client may take to open the second stream of a pair. */
const creationMs = 30_000

interface HalfPair {
  readonly data?: SpdyStream
  readonly error?: SpdyStream
  readonly late: NodeJS.Timeout
}

/** Joins the streams that belong to one forwarded connection. */
export class StreamPairs {
  readonly #halves = new Map<string, HalfPair>()
  readonly #complete: (pair: StreamPair) => void

  constructor(complete: (pair: StreamPair) => void) {
    this.#complete = complete
  }

  /** Throws if the stream is not a valid part of a pair. */
  add(stream: SpdyStream): void {
    const type = stream.headers.get('streamtype') ?? ''
    if (type !== 'data' && type !== 'error') throw new Error(`invalid stream type ${type}`)
    const port = portOf(stream)
    const id =
      stream.headers.get('requestid') ?? String(type === 'error' ? stream.id : stream.id - 2)
    const half = this.#halves.get(id)
    if (half?.[type] !== undefined) throw new Error(`${type} stream is already assigned`)
    const data = type === 'data' ? stream : half?.data
    const error = type === 'error' ? stream : half?.error
    if (data === undefined || error === undefined) {
      const late = setTimeout(() => this.#drop(id), creationMs)
      late.unref()
      this.#halves.set(id, { ...(data && { data }), ...(error && { error }), late })
      stream.once('close', () => this.#drop(id, stream))
      return
    }
    clearTimeout(half?.late)
    this.#halves.delete(id)
    this.#complete({ port: type === 'data' ? port : portOf(data), data, error })
  }

  #drop(id: string, closed?: SpdyStream): void {
    const half = this.#halves.get(id)
    if (half === undefined || (closed && half.data !== closed && half.error !== closed)) return
    clearTimeout(half.late)
    this.#halves.delete(id)
    half.data?.destroy()
    half.error?.destroy()
  }
}

function portOf({ headers }: SpdyStream): number {
  const text = headers.get('port') ?? ''
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw new Error(`invalid port ${JSON.stringify(text)}`)
  return port
}
