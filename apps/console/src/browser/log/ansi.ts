import { visibleText } from '../parts/visible-text.ts'

/** How a piece of output looks. */
export interface Look {
  /** 0–7, bright 8–15. */
  readonly foreground?: number
  readonly background?: number
  readonly bold?: boolean
  readonly dim?: boolean
  readonly italic?: boolean
  readonly underline?: boolean
}

export interface Span {
  readonly text: string
  readonly look: Look
}

export const plainLook: Look = {}

/**
 * Sequences of terminals: CSI with its final byte; OSC, DCS, SOS, PM and APC up to their end, or to the end of the
 * line; and the short ones.
 */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it looks for.
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_](?:[^\u0007\u001b]|\u001b(?!\\))*(?:\u0007|\u001b\\|$)|[ -/]*[0-~])/g

/**
 * The pieces of a line, which begins with `look`. Colours are kept; all other sequences are removed, so that output
 * can neither move the cursor nor set titles or links; what remains is text.
 */
export function readAnsi(line: string, look: Look): { spans: readonly Span[]; end: Look } {
  if (!line.includes('\u001b')) return { spans: spanOf(line, look), end: look }
  const spans: Span[] = []
  let current = look
  let at = 0
  for (const match of line.matchAll(sequence)) {
    spans.push(...spanOf(line.slice(at, match.index), current))
    at = match.index + match[0].length
    if (match[2] === 'm') current = applyCodes(current, match[1] ?? '')
  }
  spans.push(...spanOf(line.slice(at), current))
  return { spans, end: current }
}

/** The line without sequences, as it is searched and copied. */
export function withoutAnsi(line: string): string {
  return line.includes('\u001b') ? line.replaceAll(sequence, '') : line
}

/** The look at the end of a line. */
export function lookAfter(line: string, look: Look): Look {
  if (!line.includes('\u001b[')) return look
  let current = look
  let last: string | undefined
  for (const match of line.matchAll(sequence)) {
    // What is set again changes nothing: programs often set the colour of each word.
    if (match[2] !== 'm' || match[1] === last) continue
    last = match[1] ?? ''
    current = applyCodes(current, last)
  }
  return current
}

function spanOf(text: string, look: Look): readonly Span[] {
  return text === '' ? [] : [{ text: visibleText(text), look }]
}

function applyCodes(look: Look, text: string): Look {
  if (text === '') return plainLook
  const codes = text.split(/[;:]/).map((code) => (code === '' ? 0 : Number(code)))
  let current = look
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const isIndexed = codes[at + 1] === 5
      const index = codes[at + 2] ?? 0
      const name = code === 38 ? 'foreground' : 'background'
      // Of 256 colours the first 16 are named; others would not fit to light and dark.
      if (isIndexed) current = { ...current, [name]: index < 16 ? index : undefined }
      at += isIndexed ? 2 : 4
    } else current = applyCode(current, code)
  }
  return current
}

function applyCode(look: Look, code: number): Look {
  if (code === 0) return plainLook
  if (code === 1) return { ...look, bold: true }
  if (code === 2) return { ...look, dim: true }
  if (code === 3) return { ...look, italic: true }
  if (code === 4) return { ...look, underline: true }
  if (code === 22) return { ...look, bold: false, dim: false }
  if (code === 23) return { ...look, italic: false }
  if (code === 24) return { ...look, underline: false }
  if (code === 39) return without(look, 'foreground')
  if (code === 49) return without(look, 'background')
  if (code >= 30 && code <= 37) return { ...look, foreground: code - 30 }
  if (code >= 90 && code <= 97) return { ...look, foreground: code - 82 }
  if (code >= 40 && code <= 47) return { ...look, background: code - 40 }
  if (code >= 100 && code <= 107) return { ...look, background: code - 92 }
  return look
}

function without(look: Look, name: keyof Look): Look {
  const { [name]: _removed, ...rest } = look
  return rest
}
