import type { SourceCollection, SourceEntry, SourceNode } from './source-tree.ts'

/** The text of a document by lines and columns, and the conventions of its author. */
export class SourceText {
  readonly text: string
  readonly newline: string
  /** Whether lists are indented below their key. */
  readonly indentsLists: boolean
  readonly isJson: boolean
  /** By how much JSON is indented; undefined if it is not. */
  readonly jsonUnit: string | undefined
  readonly #keepsBreaks: boolean

  constructor(text: string) {
    this.text = text
    this.newline = text.includes('\r\n') ? '\r\n' : '\n'
    this.indentsLists = !hasPlainList(text)
    this.#keepsBreaks = /[|>][0-9]?\+/.test(text)
    this.isJson = isJson(text)
    this.jsonUnit = /\n([ \t]+)\S/.exec(text)?.[1]
  }

  /** The position after the line break that ends the line of this position, or the end of the text. */
  lineEnd(at: number): number {
    // A block scalar ends after a line break.
    if (at > 0 && this.text[at - 1] === '\n') return at
    const end = this.text.indexOf('\n', at)
    return end === -1 ? this.text.length : end + 1
  }

  /**
   * Where the lines of a removed entry end. Blank lines below it would become part of a block scalar above that keeps
   * its final line breaks.
   */
  removalEnd(at: number): number {
    const end = this.lineEnd(at)
    return this.#keepsBreaks ? this.#blankEnd(end) : end
  }

  /** Where new lines end that begin at a line. Blank lines below would become part of a text that keeps its breaks. */
  insertionEnd(at: number, lines: readonly string[]): number {
    return lines.some((line) => line.endsWith('|+')) ? this.#blankEnd(at) : at
  }

  #blankEnd(at: number): number {
    return at + (/^(?:[ \t]*\r?\n)+/.exec(this.text.slice(at))?.[0].length ?? 0)
  }

  lineStart(at: number): number {
    return this.text.lastIndexOf('\n', at - 1) + 1
  }

  column(at: number): number {
    return at - this.lineStart(at)
  }

  /** Whether only blanks precede the position on its line. */
  startsLine(at: number): boolean {
    return this.text.slice(this.lineStart(at), at).trim() === ''
  }

  /** Where an entry of a block collection begins, including the lines of comments directly above it. */
  headOf({ entries }: SourceCollection, index: number): number {
    const entry = entries[index]
    if (entry === undefined) return 0
    const before = entries[index - 1]
    const own = this.lineStart(entry.start)
    const bound = before === undefined ? 0 : this.lineEnd(before.end)
    let head = own
    while (head > bound) {
      const above = this.lineStart(head - 1)
      if (above < bound || !/^[ \t]*#/.test(this.text.slice(above, head))) break
      head = above
    }
    // Comments at the start of a file are about the file.
    return before === undefined && head === 0 ? own : head
  }

  /** Where lines can be added to a block collection. */
  endOf({ entries, end }: SourceCollection): number {
    return this.lineEnd(entries.at(-1)?.end ?? end)
  }

  /** Whether a value ends with a block scalar to which blank lines below it belong. */
  keepsLineBreaks(node: SourceNode): boolean {
    if (!isBlockNode(node) || node.kind === 'alias') return false
    if (node.kind === 'scalar')
      return /^[|>][0-9]?\+/.test(this.text.slice(node.start, node.start + 3))
    const last = node.entries.at(-1)
    return last !== undefined && this.keepsLineBreaks(last.node)
  }

  /** Lines of a block at a column, as text with line breaks. */
  block(column: number, lines: readonly string[]): string {
    const indent = ' '.repeat(column)
    return lines.map((line) => `${line === '' ? '' : indent + line}${this.newline}`).join('')
  }

  /** The comment on the line of the colon or dash, or after the value, with the blanks before it. */
  commentOf({ node, after = 0 }: SourceEntry): string {
    const isBlock = isBlockNode(node)
    const at = isBlock ? after : node.end
    const end = this.text.indexOf('\n', at)
    const line = this.text.slice(at, end === -1 ? this.text.length : end).trimEnd()
    const pattern = isBlock ? (node.kind === 'scalar' ? header : opening) : trailing
    return pattern.exec(line)?.[1] ?? ''
  }
}

/** Whether the list of a key is as far to the left as the key. */
function hasPlainList(text: string): boolean {
  const lines = text.split('\n')
  return lines.some((line, index) => {
    const indent = line.length - line.trimStart().length
    const blanks = line.slice(0, indent)
    if (lines[index + 1]?.startsWith(`${blanks}- `) !== true || /[^ ]/.test(blanks)) return false
    return /^[^\s#-]/.test(line.slice(indent)) && /:[ \t]*(?:#|\r?$)/.test(line.slice(indent + 1))
  })
}

const trailing = /^([ \t]+#.*)$/
const opening = /^(?:[ \t]+[&!][^ \t]*)*([ \t]+#.*)$/
const header = /^(?:[ \t]+[&!][^ \t]*)*[ \t]*[|>][-+0-9]*([ \t]+#.*)$/

/** Whether the value consists of lines of its own: a block scalar, or a collection without braces. */
export function isBlockNode(node: SourceNode): boolean {
  if (node.kind === 'alias') return false
  return node.kind === 'scalar' ? node.style.startsWith('BLOCK') : !node.isFlow
}

function isJson(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
