import type { Duplex } from 'node:stream'
import { writeAndWait } from '../drain.ts'
import { endGently } from '../linger.ts'
import { ProtocolError } from '../protocol-error.ts'
import {
  controlFrame,
  dataFrame,
  finFlag,
  frameTypes,
  numbers,
  resetReasons,
  type SpdyPart,
  SpdyReader,
} from './frames.ts'
import { HeaderReader, HeaderWriter } from './header-block.ts'
import { SpdyStream } from './spdy-stream.ts'

interface SpdyOptions {
  /** Open streams, above which further ones are refused. */
  readonly mostStreams: number
  /** Called for each stream that the client opens. Throws to refuse it. */
  readonly onStream: (stream: SpdyStream) => void
}

/** Sent in this interval. A write fails if the peer has vanished, even while its input is not read. */
const pingMs = 15_000

const goAwayStatus = { ok: 0, protocolError: 1 } as const

/**
 * The server's side of a SPDY/3.1 connection, as far as Kubernetes uses it: clients open streams. There are no flow
 * control windows, because client-go has none; backpressure is that of the connection.
 */
export class SpdyConnection {
  readonly #socket: Duplex
  readonly #options: SpdyOptions
  readonly #streams = new Map<number, SpdyStream>()
  readonly #headerReader = new HeaderReader()
  readonly #headerWriter = new HeaderWriter()
  readonly #pings: NodeJS.Timeout
  /** Resolves when the connection has closed, for whatever reason. */
  readonly closed: Promise<void>
  #lastId = 0
  #pingId = 2
  #isEnding = false

  constructor(socket: Duplex, options: SpdyOptions) {
    this.#socket = socket
    this.#options = options
    this.#pings = setInterval(() => this.#ping(), pingMs)
    this.#pings.unref()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearInterval(this.#pings)
      this.#headerReader.close()
      for (const stream of this.#streams.values()) stream.abort()
      resolve()
    })
    void this.#run()
  }

  /** Closes the connection after everything that was sent. */
  end(status: number = goAwayStatus.ok): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#write(controlFrame(frameTypes.goAway, 0, numbers(this.#lastId, status)))
    endGently(this.#socket)
  }

  #write(frame: Buffer): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return false
    return this.#socket.write(frame)
  }

  #ping(): void {
    if (this.#isEnding) return
    this.#write(controlFrame(frameTypes.ping, 0, numbers(this.#pingId)))
    this.#pingId += 2
  }

  async #run(): Promise<void> {
    const reader = new SpdyReader()
    try {
      const chunks = this.#socket.iterator({ destroyOnReturn: false })
      for await (const chunk of chunks) {
        for (const part of reader.read(chunk as Buffer)) {
          if (!this.#isEnding) await this.#receive(part)
        }
      }
      this.#socket.destroy()
    } catch (error) {
      if (error instanceof ProtocolError) this.end(goAwayStatus.protocolError)
      else this.#socket.destroy()
    }
  }

  async #receive(part: SpdyPart): Promise<void> {
    if (part.kind === 'data') {
      // Data for a stream that has ended on this side is still on its way, and is dropped.
      await this.#streams.get(part.streamId)?.deliver(part.bytes, part.isFin)
      return
    }
    const { type, flags, payload } = part
    switch (type) {
      case frameTypes.synStream:
        return this.#open(flags, payload)
      case frameTypes.synReply:
      case frameTypes.headers:
        requireSize(payload, 4)
        await this.#headerReader.read(payload.subarray(4))
        return
      case frameTypes.rstStream:
        requireSize(payload, 8)
        this.#streams.get(payload.readUInt32BE(0) & idMask)?.abort()
        return
      case frameTypes.ping:
        requireSize(payload, 4)
        // Odd numbers are those of the client.
        if ((payload.readUInt32BE(0) & 1) === 0) return
        await writeAndWait(this.#socket, controlFrame(frameTypes.ping, 0, payload.subarray(0, 4)))
        return
      case frameTypes.goAway:
        // Streams that are open may still end.
        return
      default:
        // SETTINGS and WINDOW_UPDATE have no meaning here.
        return
    }
  }

  async #open(flags: number, payload: Buffer): Promise<void> {
    requireSize(payload, 10)
    const id = payload.readUInt32BE(0) & idMask
    const headers = await this.#headerReader.read(payload.subarray(10))
    if (id % 2 === 0 || id <= this.#lastId) {
      throw new ProtocolError(`invalid number of a SPDY stream: ${id}`)
    }
    this.#lastId = id
    if (this.#streams.size >= this.#options.mostStreams) {
      await writeAndWait(this.#socket, resetFrame(id, resetReasons.refusedStream))
      return
    }
    const stream = new SpdyStream(id, headers, {
      send: (bytes, isFin) =>
        this.#isEnding
          ? Promise.resolve(false)
          : writeAndWait(this.#socket, dataFrame(id, bytes, isFin)),
      reset: () => void (this.#isEnding || this.#write(resetFrame(id, resetReasons.cancel))),
      forget: () => void this.#streams.delete(id),
    })
    this.#streams.set(id, stream)
    // Clients ignore data that arrives before the reply.
    const reply = Buffer.concat([numbers(id), this.#headerWriter.write(new Map())])
    await writeAndWait(this.#socket, controlFrame(frameTypes.synReply, 0, reply))
    if ((flags & finFlag) !== 0) void stream.deliver(Buffer.alloc(0), true)
    try {
      this.#options.onStream(stream)
    } catch {
      stream.destroy()
    }
  }
}

const idMask = 0x7fffffff

function resetFrame(id: number, reason: number): Buffer {
  return controlFrame(frameTypes.rstStream, 0, numbers(id, reason))
}

function requireSize(payload: Buffer, size: number): void {
  if (payload.length < size) throw new ProtocolError('control frame of SPDY is too short')
}
