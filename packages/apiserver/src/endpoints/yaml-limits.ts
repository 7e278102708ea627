import type { Document } from 'yaml'
import { yamlLibrary } from '../json/yaml-library.ts'

/** What JSON allows between quotes, and Go's YAML reader does not: throws SyntaxError in its words. */
export function checkJsonAsYaml(text: string): void {
  checkEscapes(text, 0, text.length)
  const key = longKey.exec(text)
  if (key !== null) throw refusal(text, key.index, "did not find expected ',' or '}'")
}

/** The same for the quoted texts of a document that was read from `text`. */
export function checkYamlEscapes(document: Document.Parsed, text: string): void {
  if (!strangeEscape.test(text)) return
  yamlLibrary().visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type === 'QUOTE_DOUBLE' && range) checkEscapes(text, range[0], range[1])
    },
  })
}

function checkEscapes(text: string, from: number, to: number): void {
  const found = strangeEscape.exec(text.slice(from, to))
  if (found === null) return
  const why =
    found[1] === '/'
      ? 'found unknown escape character'
      : 'found invalid Unicode character escape code'
  throw refusal(text, from + found.index, why)
}

/** A slash, or half of a surrogate pair. */
const strangeEscape = /(?<=(?<!\\)(?:\\\\)*)\\(u[dD][89a-fA-F]|\/)/
/** A key and its colon may be 1024 characters apart, quotes included. */
const longKey = /"(?:[^"\\]|\\.){1023,}"\s*:/

/** Lines are told from the second on. */
function refusal(text: string, at: number, why: string): SyntaxError {
  const line = text.slice(0, at).split('\n').length
  return new SyntaxError(line === 1 ? `yaml: ${why}` : `yaml: line ${line}: ${why}`)
}
