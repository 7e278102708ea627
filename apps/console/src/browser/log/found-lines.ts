import { withoutAnsi } from './ansi.ts'
import type { LogBuffer } from './log-buffer.ts'

/** More matches than anybody steps through. */
const most = 10_000

/** As many characters are searched before the page may do something else; one line more at most. */
export const sliceCharacters = 1024 * 1024

/** The lines of a growing log that contain a text, in any case. It is searched slice by slice. */
export class FoundLines {
  readonly buffer: LogBuffer
  readonly text: string
  readonly #wanted: string
  #lines: readonly number[] = []
  #at = 0

  constructor(buffer: LogBuffer, text: string) {
    this.buffer = buffer
    this.text = text
    this.#wanted = text.toLowerCase()
  }

  /** The indexes of the lines that were found until now. */
  get lines(): readonly number[] {
    return this.#lines
  }

  /** Searches the next slice, and says whether that was the last one. */
  search(): boolean {
    const { buffer } = this
    if (this.#wanted === '' || this.#lines.length >= most) return true
    const found: number[] = []
    // A line that has not ended was perhaps searched before.
    const known = this.#lines.at(-1) ?? -1
    let rest = sliceCharacters
    let index = this.#at
    for (; index < buffer.length && rest > 0; index += 1) {
      const line = buffer.line(index)
      rest -= line.length + 1
      if (index > known && withoutAnsi(line).toLowerCase().includes(this.#wanted)) found.push(index)
    }
    this.#at = Math.min(index, buffer.ended)
    if (found.length > 0) this.#lines = [...this.#lines, ...found].slice(0, most)
    return index >= buffer.length
  }
}
