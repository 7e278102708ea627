import type { Document } from 'yaml'
import { yamlLibrary } from '../json/yaml-library.ts'

/** Throws SyntaxError for strings that JSON allows but Go's YAML reader does not, with its message. */
export function checkJsonAsYaml(text: string): void {
  checkEscapes(text, 0, text.length)
  const key = longKeyIn(text)
  if (key !== undefined) throw refusal(text, key, "did not find expected ',' or '}'")
}

/** Checks the quoted strings of a document that was parsed from `text`. */
export function checkYamlEscapes(document: Document.Parsed, text: string): void {
  if (!/\\(?:u[dD][89a-fA-F]|\/)/.test(text)) return
  yamlLibrary().visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type === 'QUOTE_DOUBLE' && range) checkEscapes(text, range[0], range[1])
    },
  })
}

function checkEscapes(text: string, from: number, to: number): void {
  for (let at = text.indexOf('\\', from); at !== -1 && at < to; at = text.indexOf('\\', at + 2)) {
    if (text[at + 1] === '/') throw refusal(text, at, 'found unknown escape character')
    // A lone surrogate.
    if (/^u[dD][89a-fA-F]/.test(text.slice(at + 1, at + 4))) {
      throw refusal(text, at, 'found invalid Unicode character escape code')
    }
  }
}

/** A key, including its quotes, may have at most 1024 characters. */
const longest = 1022
const colon = /\s*:/y

/**
 * Finds the start of a key that is too long. Reads each character once, while a pattern would restart at each quote.
 */
function longKeyIn(text: string): number | undefined {
  for (let start = text.indexOf('"'); start !== -1; ) {
    let length = 0
    let end = start + 1
    for (; end < text.length && text[end] !== '"'; end += text[end] === '\\' ? 2 : 1) length += 1
    colon.lastIndex = end + 1
    if (length > longest && colon.test(text)) return start
    start = text.indexOf('"', end + 1)
  }
  return undefined
}

/** The line number is omitted for the first line. */
function refusal(text: string, at: number, why: string): SyntaxError {
  const line = text.slice(0, at).split('\n').length
  return new SyntaxError(line === 1 ? `yaml: ${why}` : `yaml: line ${line}: ${why}`)
}
