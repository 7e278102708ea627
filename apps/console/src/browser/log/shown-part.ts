import { type Look, readAnsi, type Span } from './ansi.ts'

/** What is shown of a line at a time: browsers take long to lay out a line of a megabyte, or one of many colours. */
export const partLength = 1_500
export const mostShown = 2_000
export const mostSpans = 60

interface ShownPart {
  readonly spans: readonly Span[]
  /** Where in the line the next part begins. */
  readonly end: number
}

/** The part of a line from there, which has the look there, as much as a page may show. */
export function shownPart(line: string, start: number, look: Look): ShownPart {
  for (let length = partLength; ; length = Math.ceil(length / 2)) {
    const end = wholeEnd(line, start, start + length)
    const { spans } = readAnsi(line.slice(start, end), look)
    const shown = spans.reduce((sum, { text }) => sum + text.length, 0)
    if (shown <= mostShown && spans.length <= mostSpans) return { spans, end }
  }
}

/** The end, or a little before it if it would cut a sequence of a terminal or a character in two. */
function wholeEnd(line: string, start: number, end: number): number {
  if (end >= line.length) return line.length
  const opening = line.lastIndexOf('\u001b', end - 1)
  // A sequence that is longer is no colour.
  const isNear = opening > start && end - opening < 24
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence is what it looks for.
  if (isNear && /^\u001b(?:\[[0-?]*)?$/.test(line.slice(opening, end))) return opening
  const isInPair = (line.charCodeAt(end) & 0xfc00) === 0xdc00 && end - start > 1
  return isInPair ? end - 1 : end
}
