import { type Look, lookAfter, plainLook } from './ansi.ts'

/** More is not kept: a page is no place for it. */
const mostCharacters = 64 * 1024 * 1024

/** The lines of an output as they arrive. */
export class LogBuffer {
  readonly #lines: string[] = []
  /** The look with which each line begins. */
  readonly #looks: Look[] = []
  #rest = ''
  #look: Look = plainLook
  #characters = 0

  /** Whether more has arrived than is kept. */
  get isFull(): boolean {
    return this.#characters >= mostCharacters
  }

  /** Includes a last line that has not ended. */
  get length(): number {
    return this.#lines.length + (this.#rest === '' ? 0 : 1)
  }

  line(index: number): string {
    const text = index < this.#lines.length ? (this.#lines[index] ?? '') : this.#rest
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }

  look(index: number): Look {
    return index < this.#lines.length ? (this.#looks[index] ?? plainLook) : this.#look
  }

  push(text: string): void {
    if (this.isFull) return
    this.#characters += text.length
    const pieces = text.split('\n')
    pieces[0] = this.#rest + (pieces[0] ?? '')
    this.#rest = pieces.pop() ?? ''
    for (const line of pieces) {
      this.#lines.push(line)
      this.#looks.push(this.#look)
      this.#look = lookAfter(line, this.#look)
    }
  }

  /** Whether it begins as the other one does, and the other one has more. */
  isBehind(other: LogBuffer, from: number): boolean {
    if (this.length > other.length) return false
    for (let index = from; index < this.#lines.length; index += 1) {
      if (this.#lines[index] !== other.#lineAt(index)) return false
    }
    return other.#lineAt(this.#lines.length).startsWith(this.#rest)
  }

  #lineAt(index: number): string {
    return index < this.#lines.length ? (this.#lines[index] ?? '') : this.#rest
  }

  /** The number of lines that have ended. */
  get ended(): number {
    return this.#lines.length
  }
}
