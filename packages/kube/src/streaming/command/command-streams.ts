import type { Readable, Writable } from 'node:stream'

/** Size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** The streams that a client of exec or attach requested. With a terminal, there is no separate `stderr`. */
export interface CommandStreams {
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  readonly tty: boolean
  /** Called with each size of the client's terminal, starting with the latest known one. */
  onResize(resize: (size: TerminalSize) => void): void
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal
}

/** The streams that a request names. */
export interface StreamChoice {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}
