import { constants, createInflate, type Inflate } from 'node:zlib'
import { ProtocolError } from '../protocol-error.ts'
import { spdyDictionary } from './dictionary.ts'

const mostBytes = 64 * 1024
const mostHeaders = 64

export type SpdyHeaders = ReadonlyMap<string, string>

/**
 * Reads the compressed headers of one connection. All of its blocks are one zlib stream, so none may be skipped. The
 * size of what a block expands to is limited.
 */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({
    dictionary: spdyDictionary,
    flush: constants.Z_SYNC_FLUSH,
  })
  #pieces: Buffer[] = []
  #size = 0
  #refuse: (error: Error) => void = () => undefined

  constructor() {
    this.#inflate.on('data', (piece: Buffer) => {
      this.#size += piece.length
      if (this.#size > mostBytes) {
        this.#inflate.destroy()
        return
      }
      this.#pieces.push(piece)
    })
    this.#inflate.on('error', (error) => this.#refuse(error))
  }

  /** Rejects with a ProtocolError; the connection must then be closed. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    this.#pieces = []
    this.#size = 0
    await new Promise<void>((resolve, reject) => {
      this.#refuse = (error) =>
        reject(
          error instanceof ProtocolError
            ? error
            : new ProtocolError('bad headers of a SPDY stream'),
        )
      if (this.#inflate.destroyed) this.#refuse(new ProtocolError('connection has ended'))
      else this.#inflate.write(block, () => resolve())
    })
    if (this.#size > mostBytes) throw new ProtocolError('headers of a SPDY stream are too long')
    return parseHeaders(Buffer.concat(this.#pieces))
  }

  close(): void {
    this.#inflate.destroy()
  }
}

function parseHeaders(bytes: Buffer): SpdyHeaders {
  const headers = new Map<string, string>()
  let at = 0
  const number = (): number => {
    if (at + 4 > bytes.length) throw new ProtocolError('headers of a SPDY stream are incomplete')
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  const text = (): string => {
    const length = number()
    if (at + length > bytes.length) {
      throw new ProtocolError('headers of a SPDY stream are incomplete')
    }
    at += length
    return bytes.toString('latin1', at - length, at)
  }
  const count = number()
  if (count > mostHeaders) throw new ProtocolError('a SPDY stream has too many headers')
  for (let read = 0; read < count; read += 1) {
    const name = text()
    // Several values are separated by NUL. None of the headers that are read here may be repeated.
    headers.set(name.toLowerCase(), text().split('\0')[0] ?? '')
  }
  return headers
}

/** An empty stored block. Readers return what they have when they see it. */
const flushMarker = Buffer.from([0, 0, 0, 0xff, 0xff])

/**
 * Writes header blocks of one connection as stored blocks of one zlib stream, without compression: replies have no
 * headers, so there is nothing to gain.
 */
export class HeaderWriter {
  #hasBegun = false

  write(headers: ReadonlyMap<string, string>): Buffer {
    const parts: Buffer[] = [uint32(headers.size)]
    for (const [name, value] of headers) {
      for (const text of [name.toLowerCase(), value]) {
        const bytes = Buffer.from(text, 'latin1')
        parts.push(uint32(bytes.length), bytes)
      }
    }
    const content = Buffer.concat(parts)
    const stored = Buffer.alloc(5)
    stored.writeUInt16LE(content.length, 1)
    stored.writeUInt16LE(content.length ^ 0xffff, 3)
    const begin = this.#hasBegun ? [] : [Buffer.from([0x78, 0x01])]
    this.#hasBegun = true
    return Buffer.concat([...begin, stored, content, flushMarker])
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
