import { constants, open } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { type Clock, sleep } from '@agents/controller'
import type { LogLimits, LogWriter } from '../logs/log-writer.ts'

/** Reads what a container writes into its pipe, no faster than its log may grow; the container waits meanwhile. */
export class OutputPipe {
  readonly #socket: Socket
  readonly #clock: Clock
  readonly #limits: LogLimits
  /** Everybody who could write has ended, and all is in the log. */
  readonly drained: Promise<void>

  private constructor(socket: Socket, writer: LogWriter, limits: LogLimits, clock: Clock) {
    this.#socket = socket
    this.#clock = clock
    this.#limits = limits
    this.drained = this.#drain(writer)
  }

  /** Answers once the pipe is open, so that nothing written from then on is lost. */
  static async open(
    folder: string,
    writer: LogWriter,
    limits: LogLimits,
    clock: Clock,
  ): Promise<OutputPipe> {
    const fd = await openWithoutWaiting(join(folder, 'out'))
    // A file stream would hold one of few threads for as long as the container is silent.
    const socket = new Socket({ fd, readable: true, writable: false })
    return new OutputPipe(socket, writer, limits, clock)
  }

  /** Reads no more. What the container writes stays in the pipe for whoever comes next. */
  close(): void {
    this.#socket.destroy()
  }

  async #drain(writer: LogWriter): Promise<void> {
    let windowStart = this.#clock.elapsed()
    let written = 0
    try {
      for await (const chunk of this.#socket) {
        written += await writer.write(chunk)
        const allowedMs = (written / this.#limits.bytesPerSecond) * 1000
        const aheadMs = allowedMs - (this.#clock.elapsed() - windowStart)
        if (aheadMs > 0) await sleep(this.#clock, aheadMs)
        if (this.#clock.elapsed() - windowStart < windowMs) continue
        windowStart = this.#clock.elapsed()
        written = 0
      }
    } catch {
      // Closed in the middle: the reader has given up, not the container.
    }
  }
}

const windowMs = 1000

function openWithoutWaiting(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    open(path, constants.O_RDONLY | constants.O_NONBLOCK, (error, fd) => {
      if (error) reject(error)
      else resolve(fd)
    })
  })
}

/** What the shim saved of the output while nobody read it. */
export async function writeRest(folder: string, writer: LogWriter): Promise<void> {
  const rest = await readFile(join(folder, 'rest')).catch(() => undefined)
  if (rest !== undefined && rest.length > 0) await writer.write(rest)
}
