import { type FlowStyle, flowMember, flowText } from './flow-text.ts'
import type { Json } from './json.ts'
import type { SourceText } from './source-text.ts'
import type { SourceCollection, SourceEntry } from './source-tree.ts'
import type { TextEdits } from './text-edits.ts'

/** A part of a collection in braces or brackets: an entry that stays, or a new one. */
export type FlowPiece =
  | { readonly entry: SourceEntry }
  | { readonly key?: string; readonly value: Json }

/** Writes collections in braces or brackets in the style in which they are written already, JSON included. */
export class FlowEditor {
  readonly #source: SourceText

  constructor(source: SourceText) {
    this.#source = source
  }

  /** Start, end and text of the edit that replaces the value of an entry. */
  replacement({ node, after, start, end }: SourceEntry, value: Json): [number, number, string] {
    const from = node.tagStart ?? node.start
    const text = flowText(value, this.#style(start))
    // A member such as `a` in `{a, b: 1}` has no colon.
    if (after === undefined && from === node.end) return [end, end, `: ${text}`]
    return [from, node.end, from === after && !this.#source.isJson ? ` ${text}` : text]
  }

  /** The text of the collection with these parts. */
  rebuilt(
    { entries, start, end }: SourceCollection,
    pieces: readonly FlowPiece[],
    change: (entry: SourceEntry) => TextEdits,
  ): string {
    const { text } = this.#source
    const [first] = entries
    const last = entries.at(-1)
    if (first === undefined || last === undefined) return text.slice(start, end)
    const lead = text.slice(start + 1, first.start)
    const isSpread = lead.includes('\n')
    const between = isSpread ? `,${this.#source.newline}${/[ \t]*$/.exec(lead)?.[0]}` : ', '
    const parts = pieces.map((piece, at): string => {
      const before = pieces[at - 1]
      const separator = at === 0 ? '' : (this.#separator(entries, before, piece) ?? between)
      if ('entry' in piece) {
        return separator + change(piece.entry).applied(text, piece.entry.start, piece.entry.end)
      }
      const style = this.#style(first.start)
      const added =
        piece.key === undefined
          ? flowText(piece.value, style)
          : flowMember(piece.key, piece.value, style)
      return separator + added
    })
    return text[start] + lead + parts.join('') + text.slice(last.end, end)
  }

  /** What stands between two entries that were neighbours before, with comments. */
  #separator(
    entries: readonly SourceEntry[],
    before: FlowPiece | undefined,
    piece: FlowPiece,
  ): string | undefined {
    if (before === undefined || !('entry' in before) || !('entry' in piece)) return undefined
    const areNeighbours = entries.indexOf(before.entry) + 1 === entries.indexOf(piece.entry)
    return areNeighbours ? this.#source.text.slice(before.entry.end, piece.entry.start) : undefined
  }

  /** Only JSON is spread over lines, where it is already. */
  #style(at: number): FlowStyle {
    const { isJson, jsonUnit, text, newline } = this.#source
    if (!isJson || jsonUnit === undefined || !this.#source.startsLine(at)) return { isJson }
    const indent = text.slice(this.#source.lineStart(at), at)
    return { isJson, lines: { start: `${newline}${indent}`, unit: jsonUnit } }
  }
}
