import { ProtocolError } from '../protocol-error.ts'
import type { TerminalSize } from './command-streams.ts'

const longestSize = 1024
const largest = 0xffff

/** Parses the sizes that a client sends as JSON objects one after another: `{"Width":80,"Height":24}`. */
export class ResizeReader {
  #held = ''
  #last: TerminalSize | undefined
  #resize: ((size: TerminalSize) => void) | undefined

  onResize(resize: (size: TerminalSize) => void): void {
    this.#resize = resize
    if (this.#last !== undefined) resize(this.#last)
  }

  /** Throws a ProtocolError for anything else. */
  read(bytes: Buffer): void {
    this.#held += bytes.toString('latin1')
    for (let end = this.#held.indexOf('}'); end !== -1; end = this.#held.indexOf('}')) {
      const size = parseSize(this.#held.slice(0, end + 1))
      this.#held = this.#held.slice(end + 1)
      this.#last = size
      this.#resize?.(size)
    }
    if (this.#held.length > longestSize) throw new ProtocolError('size of a terminal is too long')
  }
}

function parseSize(text: string): TerminalSize {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as Record<string, unknown>
    if (isSize(width) && isSize(height)) return { width, height }
  } catch {
    // Reported below.
  }
  throw new ProtocolError('invalid size of a terminal')
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= largest
}
