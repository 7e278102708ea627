import { type Look, lookAfter, plainLook } from './ansi.ts'

/** More is not kept: a page is no place for it. */
const mostCharacters = 64 * 1024 * 1024
export const mostLines = 200_000

/** A longer line is several: each is read in one go. */
export const longestLine = 1_250_000

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
    return this.#characters >= mostCharacters || this.#lines.length >= mostLines
  }

  /** Includes a last line that has not ended. */
  get length(): number {
    return this.#lines.length + (this.#rest === '' ? 0 : 1)
  }

  line(index: number): string {
    const text = index < this.#lines.length ? (this.#lines[index] ?? '') : this.#rest
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }

  /** How many characters a line has, with what ends it. */
  lengthOf(index: number): number {
    return (index < this.#lines.length ? this.#lines[index] : this.#rest)?.length ?? 0
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
      this.#add(this.#withoutFullLines(line))
      if (this.isFull) {
        this.#rest = ''
        return
      }
    }
    this.#rest = this.#withoutFullLines(this.#rest)
  }

  #add(line: string): void {
    this.#lines.push(line)
    this.#looks.push(this.#look)
    this.#look = lookAfter(line, this.#look)
  }

  /** Adds what is too long for one line, and returns what follows. */
  #withoutFullLines(line: string): string {
    let at = 0
    for (; line.length - at > longestLine; at += longestLine) {
      this.#add(line.slice(at, at + longestLine))
    }
    return at === 0 ? line : line.slice(at)
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
