import { type Document, isMap, isScalar, parseAllDocuments, type Scalar, visit } from 'yaml'
import { SopsError } from './sops-error.ts'

export type YamlDocument = Document.Parsed

/** One YAML document. Integers come as bigint, so that what is an integer for SOPS can be told from a float. */
export const parseDocument = (text: string): YamlDocument => {
  const documents = parseAllDocuments(text, PARSING)
  const [document, second] = Array.isArray(documents) ? documents : []
  if (document === undefined || second !== undefined) {
    throw new SopsError('there must be one YAML document', { code: 'invalid' })
  }
  // The parser's errors quote the text, which may be a secret.
  if (document.errors.length > 0 || hasTwins(document))
    throw new SopsError('the document is not valid YAML', { code: 'invalid' })
  if (!isMap(document.contents)) throw new SopsError('the document is no map', { code: 'invalid' })
  // Written out with its tag, as SOPS does, the text `<<` arrives as the symbol for merging.
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value !== 'symbol') return
      scalar.value = scalar.value.description
      delete scalar.tag
    },
  })
  return document
}

/** The parser's own search for keys that come twice compares each with each, which takes minutes for a Secret of many keys. */
const PARSING = { intAsBigInt: true, version: '1.2', uniqueKeys: false } as const

const hasTwins = (document: YamlDocument): boolean => {
  let found = false
  visit(document, {
    Map: (_key, { items }) => {
      const keys = items.map(({ key }) => (isScalar(key) ? key.value : key))
      found = new Set(keys).size < keys.length
      return found ? visit.BREAK : undefined
    },
  })
  return found
}

/**
 * Text that every YAML parser reads as the same values. What YAML 1.1 takes for a date, a number, a boolean or a line break is quoted or
 * escaped, because the parsers of Go still do so.
 */
export const printDocument = (document: YamlDocument): string => {
  visit(document, { Scalar: (_key, scalar) => quoteAmbiguous(scalar) })
  const text = document.toString({ lineWidth: 0 })
  return text.replace(LINE_BREAKS_1_1, (character) => escapes[character] ?? character)
}

const quoteAmbiguous = (scalar: Scalar): void => {
  const { value } = scalar
  if (typeof value !== 'string') return
  const isBlock = value.includes('\n') && SAFE_BLOCK.test(value) && value.search(UNPRINTABLE) === -1
  if (isBlock) scalar.type = 'BLOCK_LITERAL'
  else if (!SAFE_PLAIN.test(value) || WORDS.test(value)) scalar.type = 'QUOTE_DOUBLE'
}

const SAFE_PLAIN = /^[A-Za-z_/]([\w ./@-]*[\w./@-])?$|^ENC\[[\w+/=:,]+\]$/
const WORDS = /^(y|n|yes|no|on|off|true|false|null|inf|nan)$/i

/** Blanks at the start or end of a line, and empty lines at either end, are where parsers differ. */
const SAFE_BLOCK = /^[^\s](?:[^\n]*[^\s])?(?:\n(?: *[^\s](?:[^\n]*[^\s])?)?)*\n?$/
const UNPRINTABLE = /[^\n\u0020-\u007e\u00a0-\u2027\u2030-\ufefe\u{10000}-\u{10ffff}]/u

const LINE_BREAKS_1_1 = /[\u0085\u2028\u2029\ufeff]/g
const escapes: Record<string, string> = {
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
  '\ufeff': '\\uFEFF',
}
