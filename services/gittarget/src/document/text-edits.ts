/** Replaces a part of a text. */
interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Edits of a text, which do not overlap. Those at the same position are applied in the order of their creation. */
export class TextEdits {
  readonly #edits: TextEdit[] = []

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text })
  }

  /** A part of the text with its edits. */
  applied(source: string, from = 0, to = source.length): string {
    const parts: string[] = []
    let at = from
    for (const { start, end, text } of this.#edits.toSorted(byPosition)) {
      parts.push(source.slice(at, Math.max(at, start)), text)
      at = Math.max(at, end)
    }
    parts.push(source.slice(at, to))
    return parts.join('')
  }
}

/** What is inserted before a removed part comes first. */
function byPosition(a: TextEdit, b: TextEdit): number {
  return a.start - b.start
}
