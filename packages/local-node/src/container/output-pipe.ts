import { constants, existsSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '@agents/controller'
import type { LogLimits, LogWriter } from '../logs/log-writer.ts'

/** Reads the output of a container from its pipe, no faster than its log may grow; the container blocks meanwhile. */
export class OutputPipe {
  readonly #socket: Socket
  readonly #writer: LogWriter
  readonly #clock: Clock
  readonly #bytesPerSecond: number
  readonly #onOutput: (chunk: Buffer) => void
  /** Resolves when all writers have ended and the output is in the log. */
  readonly drained: Promise<void>
  #windowStart: number
  #written = 0

  private constructor(
    socket: Socket,
    writer: LogWriter,
    limits: LogLimits,
    clock: Clock,
    onOutput: (chunk: Buffer) => void,
  ) {
    this.#onOutput = onOutput
    this.#socket = socket
    this.#writer = writer
    this.#clock = clock
    this.#bytesPerSecond = limits.bytesPerSecond
    this.#windowStart = clock.elapsed()
    this.drained = new Promise((resolve) => socket.once('close', () => resolve()))
    // Closed early: the reader has stopped, not the container.
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  /** Resolves once the pipe is open, so that nothing written from then on is lost. */
  static async open(
    folder: string,
    writer: LogWriter,
    limits: LogLimits,
    clock: Clock,
    onOutput: (chunk: Buffer) => void,
  ): Promise<OutputPipe> {
    // Does not wait for a writer.
    const fd = openSync(join(folder, 'out'), constants.O_RDONLY | constants.O_NONBLOCK)
    // A file stream would occupy one of few threads while the container is silent.
    const socket = new Socket({ fd, readable: true, writable: false })
    return new OutputPipe(socket, writer, limits, clock, onOutput)
  }

  /** Stops reading. Further output stays in the pipe for the next reader. */
  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const began = this.#clock.elapsed()
    try {
      this.#written += this.#writer.write(chunk)
    } catch {
      // The disk is full or the pod's folder was removed. A log that cannot be written must not block the container.
    }
    this.#onOutput(chunk)
    const now = this.#clock.elapsed()
    const elapsed = now - this.#windowStart
    const aheadMs = (this.#written / this.#bytesPerSecond) * 1000 - elapsed
    // A container that writes continuously gets a quarter of our time, however slow the machine is.
    const restMs = chunk.length < fullChunk ? 0 : (now - began) * 3
    const pauseMs = Math.max(aheadMs, restMs)
    if (pauseMs > 0) {
      this.#socket.pause()
      this.#clock.after(pauseMs, () => this.#socket.resume())
    }
    if (elapsed > windowMs) {
      this.#windowStart = this.#clock.elapsed()
      this.#written = 0
    }
  }
}

const windowMs = 1000
const fullChunk = 32 * 1024

/** Writes the output that the shim saved while no node was reading. */
export async function writeRest(folder: string, writer: LogWriter): Promise<void> {
  const path = join(folder, 'rest')
  if (!existsSync(path)) return
  const rest = await readFile(path).catch(() => undefined)
  if (rest !== undefined && rest.length > 0) writer.write(rest)
}
