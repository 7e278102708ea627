/** A step on the way from the root of a document to a place in it: a field, or an item of a list. */
export type PathStep = string | typeof item
export const item = Symbol('item')

/** Where in a document a position of its text is. */
export interface Place {
  readonly path: readonly PathStep[]
  /** Whether the name of a field is written there, or its value. */
  readonly part: 'key' | 'value'
  /** What is written of it before the position. */
  readonly typed: string
  /** Where that begins in the text. */
  readonly from: number
  /** The column of the field, from 0. */
  readonly column: number
  /** The fields beside it. */
  readonly siblings: ReadonlySet<string>
}

interface Token {
  readonly column: number
  /** Undefined for the dash of an item. */
  readonly key: string | undefined
}

const keyLine = /^(\s*(?:- +)*)(?:"([^"]*)"|'([^']*)'|([^\s#:'"][^\s:]*)):(?= |$)(.*)$/
const dashes = /^\s*(?:- +)*-?$|^\s*(?:- +)*/
/** The header of a text of several lines, which may look like fields. */
const blockHeader = /^\s*[|>][-+0-9]*\s*(?:#.*)?$/

/**
 * Finds the place by the indentation of lines: unlike a parser it can read a document that is being written. Undefined
 * inside of texts and comments, where nothing can be completed.
 */
export function placeAt(text: string, position: number): Place | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const before = text.slice(start, position)
  const lines = text.slice(0, start).split('\n').slice(0, -1)
  if (/(^|\s)#/.test(before) || isInBlock(lines, before)) return undefined
  const value = /^(\s*(?:- +)*)([^\s#:'"][^\s:]*): +(\S*)$/.exec(before)
  const key = /^(\s*(?:- +)*)([\w./-]*)$/.exec(before)
  if (value !== null) {
    const [, lead = '', name = '', typed = ''] = value
    const parents = ancestors(lines, lead)
    return {
      ...{ part: 'value', typed, from: position - typed.length, column: lead.length },
      path: [...parents, name],
      siblings: new Set(),
    }
  }
  if (key === null) return undefined
  const [, lead = '', typed = ''] = key
  return {
    ...{ part: 'key', typed, from: position - typed.length, column: lead.length },
    path: ancestors(lines, lead),
    siblings: siblingsOf(lines, text.slice(start).split('\n'), lead.length),
  }
}

/** The field whose line has the position. */
export function fieldAt(text: string, position: number): readonly PathStep[] | undefined {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const end = text.indexOf('\n', position)
  const line = text.slice(start, end === -1 ? undefined : end)
  const lines = text.slice(0, start).split('\n').slice(0, -1)
  if (isInBlock(lines, line)) return undefined
  const found = keyOf(line)
  return found && [...ancestors(lines, found.lead), found.key]
}

function keyOf(line: string) {
  const [, lead = '', double, single, plain, rest = ''] = keyLine.exec(line) ?? []
  const key = double ?? single ?? plain
  return key === undefined ? undefined : { lead, key, rest }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Whether the line after these belongs to a text of several lines. */
function isInBlock(lines: readonly string[], line: string): boolean {
  let header: number | undefined
  for (const each of lines) header = headerAfter(header, each)
  if (header === undefined) return false
  return line.trim() === '' ? line.length > header : indentOf(line) > header
}

/** The indentation of the field whose text goes on after the line. */
function headerAfter(header: number | undefined, line: string): number | undefined {
  if (header !== undefined && (line.trim() === '' || indentOf(line) > header)) return header
  const { lead, rest } = keyOf(line) ?? { lead: '', rest: '' }
  // A text in an item goes on where the lines are further in than the field.
  return blockHeader.test(rest) ? lead.length : undefined
}

/** Dashes and the field of each line that is not part of a text. */
function tokensOf(lines: readonly string[]): readonly (readonly Token[])[] {
  let header: number | undefined
  return lines.map((line) => {
    const wasInText = header !== undefined && (line.trim() === '' || indentOf(line) > header)
    header = headerAfter(header, line)
    if (wasInText || line.trim() === '' || line.trimStart().startsWith('#')) return []
    const { lead = dashes.exec(line)?.[0] ?? '', key } = keyOf(line) ?? {}
    return [...dashTokens(lead), ...(key === undefined ? [] : [{ column: lead.length, key }])]
  })
}

function dashTokens(lead: string): readonly Token[] {
  return [...lead.matchAll(/-/g)].map(({ index }) => ({ column: index, key: undefined }))
}

/** What the field after the lead belongs to, from the root. */
function ancestors(lines: readonly string[], lead: string): readonly PathStep[] {
  const path: PathStep[] = []
  let limit = lead.length
  let isItem = false
  const offer = ({ column, key }: Token): void => {
    // The dashes of a list may be below the first letter of its field.
    const isParent = column < limit || (isItem && key !== undefined && column === limit)
    if (!isParent) return
    path.unshift(key ?? item)
    limit = column
    isItem = key === undefined
  }
  for (const token of dashTokens(lead).toReversed()) offer(token)
  for (const tokens of tokensOf(lines).toReversed()) {
    if (limit === 0 && !isItem) break
    for (const token of tokens.toReversed()) offer(token)
  }
  return path
}

/** The names of the fields in the same object. */
function siblingsOf(
  above: readonly string[],
  fromHere: readonly string[],
  column: number,
): ReadonlySet<string> {
  const names = new Set<string>()
  const [here = '', ...below] = fromHere
  const hasDash = here.slice(0, column).includes('-')
  const collect = (lines: readonly (readonly Token[])[], isDown: boolean): void => {
    for (const tokens of lines) {
      const first = tokens[0]
      if (first === undefined) continue
      const isDashed = first.key === undefined && first.column < column
      if (isDown && (isDashed || first.column < column)) return
      for (const token of tokens) {
        if (token.column === column && token.key !== undefined) names.add(token.key)
      }
      if (isDashed || first.column < column) return
    }
  }
  if (!hasDash) collect(tokensOf(above).toReversed(), false)
  collect(tokensOf(below), true)
  return names
}
