import type { Document } from 'yaml'
import { yamlLibrary } from '../json/yaml-library.ts'

/** What JSON allows between quotes, and Go's YAML reader does not: throws SyntaxError in its words. */
export function checkJsonAsYaml(text: string): void {
  checkEscapes(text, 0, text.length)
  const key = longKeyIn(text)
  if (key !== undefined) throw refusal(text, key, "did not find expected ',' or '}'")
}

/** The same for the quoted texts of a document that was read from `text`. */
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
    // Half of a surrogate pair.
    if (/^u[dD][89a-fA-F]/.test(text.slice(at + 1, at + 4))) {
      throw refusal(text, at, 'found invalid Unicode character escape code')
    }
  }
}

/** A key and its colon may be 1024 characters apart, quotes included. */
const longest = 1022
const colon = /\s*:/y

/** Where a key begins that is too long. Looks at each character once: a pattern would begin anew at each quote within a text. */
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

/** Lines are told from the second on. */
function refusal(text: string, at: number, why: string): SyntaxError {
  const line = text.slice(0, at).split('\n').length
  return new SyntaxError(line === 1 ? `yaml: ${why}` : `yaml: line ${line}: ${why}`)
}
