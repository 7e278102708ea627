import type { Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

type Done = (error?: Error | null) => void

/** Notes bytes that wait for the client: more of them, or fewer. */
export type NoteUnread = (stream: ServerHttp2Stream, change: number) => void

/** Whether a client reads is seen only when it has taken a whole piece. */
const pieceBytes = 16 * 1024

/**
 * The class of responses that count the bytes which the client has not taken yet. An answer that is given as a whole is
 * sent piece by piece, so that a client that reads slowly differs from one that does not read.
 */
export function pacedResponse(base: typeof Http2ServerResponse, note: NoteUnread): typeof base {
  class PacedResponse extends base {
    #isEnding = false

    override write(chunk: string | Uint8Array, ...options: readonly unknown[]): boolean {
      const { stream } = this
      const { bytes, done } = read(chunk, options)
      note(stream, bytes.length)
      return super.write(bytes as never, 'utf8', (error?: Error | null) => {
        note(stream, -bytes.length)
        done?.(error)
      })
    }

    override end(...given: readonly unknown[]): this {
      if (this.#isEnding) return this
      this.#isEnding = true
      const [content, ...options] = typeof given[0] === 'function' ? [undefined, ...given] : given
      const { bytes, done } = read(content as string | Uint8Array | undefined, options)
      note(this.stream, bytes.length)
      this.#sendRest(bytes, done)
      return this
    }

    /** All of it is noted. */
    #sendRest(rest: Uint8Array, done: Done | undefined): void {
      const { stream } = this
      if (stream.closed || stream.destroyed) {
        note(stream, -rest.length)
        done?.()
        return
      }
      const piece = rest.subarray(0, pieceBytes)
      note(stream, -piece.length)
      if (piece.length === rest.length) {
        if (piece.length === 0) super.end(done as () => void)
        else super.end(piece, 'utf8', done as () => void)
        return
      }
      this.write(piece, () => this.#sendRest(rest.subarray(pieceBytes), done))
    }
  }
  return PacedResponse as typeof base
}

function read(content: string | Uint8Array | undefined | null, options: readonly unknown[]) {
  const encoding = options.find((option) => typeof option === 'string') as BufferEncoding
  const bytes = typeof content === 'string' ? Buffer.from(content, encoding) : content
  const done = options.find((option) => typeof option === 'function') as Done | undefined
  return { bytes: bytes ?? new Uint8Array(), done }
}
