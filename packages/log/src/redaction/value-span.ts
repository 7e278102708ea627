import { endOfQuoted } from './quoted.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

const openerPattern = /\\*["'`]/y

/** The span of the value at `from`: a quoted string, a YAML block, the rest of the line, or one word. */
export function findValue(text: string, from: number, isWholeLine: boolean): Span {
  const opener = new RegExp(openerPattern)
  opener.lastIndex = from
  const quote = opener.exec(text)?.[0]
  if (quote !== undefined) {
    const start = from + quote.length
    return { start, end: endOfQuoted(text, start, quote) }
  }
  const end =
    endOfBlock(text, from) ?? (isWholeLine ? endOfLine(text, from) : endOfWord(text, from))
  return { start: from, end }
}

const blockPattern = /[|>][-+0-9]{0,2}[ \t]*\n/y

/** The end of the lines of `key: |`, which are indented deeper than the line of the key. */
function endOfBlock(text: string, from: number): number | undefined {
  const block = new RegExp(blockPattern)
  block.lastIndex = from
  if (!block.test(text)) return undefined
  const indent = indentAt(text, text.lastIndexOf('\n', from) + 1)
  let end = block.lastIndex - 1
  for (let line = block.lastIndex; line < text.length; line = end + 1) {
    const lineEnd = endOfLine(text, line)
    const isBlank = text.slice(line, lineEnd).trim() === ''
    if (!isBlank && indentAt(text, line) <= indent) break
    end = lineEnd
  }
  return end
}

function indentAt(text: string, lineStart: number): number {
  let at = lineStart
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at += 1
  return at - lineStart
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

const wordEnds = ' \t\r\n"\'`'
const nextPairPattern = /[&;,][ \t]?[\w.-]{1,64}=/y

function endOfWord(text: string, from: number): number {
  const nextPair = new RegExp(nextPairPattern)
  let at = from
  while (at < text.length) {
    const character = text.charAt(at)
    if (wordEnds.includes(character)) return at
    if (character === '&' || character === ';' || character === ',') {
      nextPair.lastIndex = at
      if (nextPair.test(text)) return at
    }
    at += 1
  }
  return at
}
