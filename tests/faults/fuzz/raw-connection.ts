import { connect, type TLSSocket } from 'node:tls'

export interface RawReply {
  readonly status: number
  readonly body: string
  /** False if the server closes the connection after this response. */
  readonly reusable: boolean
}

/** `head`: no body; `endless`: a body that does not end by itself, unless the response is an error. */
type ReplyLength = 'whole' | 'head' | 'endless'

export interface Server {
  readonly url: string
  readonly caPem: string
}

/**
 * Sends bytes and reads at most one response: `closed` if the server closes the connection, `silent` if it does not
 * answer.
 */
export class RawConnection {
  readonly #socket: TLSSocket
  #received = Buffer.alloc(0)
  #closed = false
  #wake: () => void = () => undefined

  private constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    const end = (): void => {
      this.#closed = true
      this.#wake()
    }
    socket.on('error', end)
    socket.on('close', end)
    socket.on('end', end)
  }

  static open({ url, caPem }: Server): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca: caPem }, () =>
        resolve(new RawConnection(socket)),
      )
      socket.once('error', reject)
    })
  }

  async exchange(
    bytes: Buffer,
    length: ReplyLength,
    timeoutMs: number,
  ): Promise<RawReply | 'closed' | 'silent'> {
    this.#received = Buffer.alloc(0)
    this.#socket.write(bytes)
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const reply = readReply(this.#received, length, this.#closed)
      if (reply !== undefined) return reply
      if (this.#closed) return 'closed'
      const left = deadline - performance.now()
      if (left <= 0) return 'silent'
      await this.#more(left)
    }
  }

  close(): void {
    this.#socket.destroy()
  }

  #more(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function readReply(bytes: Buffer, length: ReplyLength, closed: boolean): RawReply | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  if (status === 100) return readReply(bytes.subarray(end + 4), length, closed)
  const reusable = !closed && !/\r\nconnection: *close/i.test(head)
  const body = bytes.subarray(end + 4)
  const reply = (bodyLength: number): RawReply => ({
    status,
    body: body.toString('utf8', 0, Math.min(bodyLength, 2_000)),
    reusable,
  })
  const endsWithHead = length === 'head' || (length === 'endless' && status < 400)
  if (endsWithHead || status === 204 || status === 304) return reply(0)
  const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (declared !== undefined)
    return body.length >= Number(declared) ? reply(Number(declared)) : undefined
  if (/\r\ntransfer-encoding: *chunked/i.test(head))
    return body.subarray(-5).equals(lastChunk) ? reply(body.length) : undefined
  return closed ? reply(body.length) : undefined
}

const lastChunk = Buffer.from('0\r\n\r\n')
