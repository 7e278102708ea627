import { connect, type TLSSocket } from 'node:tls'

interface Reply {
  readonly status: number
  readonly body: Buffer
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: string
}

/**
 * One keep-alive HTTP/1.1 connection, one request at a time. It does as little work as possible, because it shares the
 * machine with the server that it measures.
 */
export class Connection {
  readonly #socket: TLSSocket
  readonly #head: string
  #parser: ReplyParser | undefined
  #settle: { resolve(reply: Reply): void; reject(error: Error): void } | undefined

  private constructor(socket: TLSSocket, head: string) {
    this.#socket = socket
    this.#head = head
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    const lost = (error?: Error): void =>
      this.#settle?.reject(error ?? new Error('the connection was closed'))
    socket.on('error', lost)
    socket.on('close', () => lost())
  }

  static open(url: string, ca: string, token: string): Promise<Connection> {
    const { hostname, port, host } = new URL(url)
    const head = ` HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\nUser-Agent: bench/1\r\n`
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca }, () =>
        resolve(new Connection(socket, head)),
      )
      socket.once('error', reject)
    })
  }

  send({ method, path, type = 'application/json', body = '' }: Call): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#parser = new ReplyParser()
      const framing =
        body === '' ? '' : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
      this.#socket.write(`${method} ${path}${this.#head}${framing}\r\n${body}`)
    })
  }

  /**
   * Sends a request whose response does not end, and passes on the bytes of the response, including headers and chunk
   * sizes.
   */
  follow(path: string, onData: (chunk: Buffer) => void): void {
    this.#socket.removeAllListeners('data')
    this.#socket.on('data', onData)
    this.#socket.write(`GET ${path}${this.#head}\r\n`)
  }

  close(): void {
    this.#settle = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    const reply = this.#parser?.add(chunk)
    if (reply === undefined) return
    this.#parser = undefined
    const { resolve } = this.#settle ?? {}
    this.#settle = undefined
    resolve?.(reply)
  }
}

/** Collects one response; no trailers, no pipelining. */
class ReplyParser {
  readonly #chunks: Buffer[] = []
  #received = 0
  #status = 0
  /** Bytes of head and body together; undefined until the head is complete, -1 if the body is chunked. */
  #expected: number | undefined
  #headLength = 0
  /** The last bytes received: an empty chunk is the last one. */
  #tail = Buffer.alloc(0)

  add(chunk: Buffer): Reply | undefined {
    this.#chunks.push(chunk)
    this.#received += chunk.length
    if (this.#expected === undefined && !this.#readHead()) return undefined
    if (this.#expected === -1) {
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-5)]).subarray(-5)
      if (!this.#tail.equals(lastChunk)) return undefined
      return { status: this.#status, body: unchunked(this.#all().subarray(this.#headLength)) }
    }
    if (this.#received < (this.#expected ?? 0)) return undefined
    return { status: this.#status, body: this.#all().subarray(this.#headLength) }
  }

  #readHead(): boolean {
    const text = this.#all().toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) return false
    const head = text.slice(0, end)
    this.#headLength = end + 4
    this.#status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    this.#expected = length === undefined ? -1 : this.#headLength + Number(length)
    return true
  }

  #all(): Buffer {
    if (this.#chunks.length > 1)
      this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks))
    return this.#chunks[0] ?? Buffer.alloc(0)
  }
}

const lastChunk = Buffer.from('0\r\n\r\n')

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
