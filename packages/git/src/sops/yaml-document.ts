import { type Document, isMap, isScalar, parseAllDocuments, type Scalar, visit } from 'yaml'
import { SopsError } from './sops-error.ts'

export type YamlDocument = Document.Parsed

/** One YAML document. Integers come as bigint, so that integers and floats can be distinguished as SOPS does. */
export function parseDocument(text: string): YamlDocument {
  const documents = parseAllDocuments(text, parserOptions)
  const [document, second] = Array.isArray(documents) ? documents : []
  if (document === undefined || second !== undefined) {
    throw new SopsError('the text must be exactly one YAML document', { code: 'invalid' })
  }
  // The parser's errors quote the text, which may be a secret.
  if (document.errors.length > 0 || hasTwins(document))
    throw new SopsError('the document is not valid YAML', { code: 'invalid' })
  if (!isMap(document.contents))
    throw new SopsError('the document is not a map', { code: 'invalid' })
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

/**
 * The parser's own search for keys that come twice compares each with each, which takes minutes for a Secret of many
 * keys.
 */
const parserOptions = { intAsBigInt: true, version: '1.2', uniqueKeys: false } as const

function hasTwins(document: YamlDocument): boolean {
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
 * Text that every YAML parser reads as the same values. What YAML 1.1 takes for a date, a number, a boolean or a line
 * break is quoted or escaped, because the parsers of Go still do so.
 */
export function printDocument(document: YamlDocument): string {
  visit(document, { Scalar: (_key, scalar) => quoteAmbiguous(scalar) })
  const text = document.toString({ lineWidth: 0 })
  return text.replace(yaml11LineBreaks, (character) => escapes[character] ?? character)
}

function quoteAmbiguous(scalar: Scalar): void {
  const { value } = scalar
  if (typeof value !== 'string') return
  const isBlock = value.includes('\n') && safeBlock.test(value) && value.search(unprintable) === -1
  if (isBlock) scalar.type = 'BLOCK_LITERAL'
  else if (!safePlain.test(value) || ambiguousScalars.test(value)) scalar.type = 'QUOTE_DOUBLE'
}

const safePlain = /^[A-Za-z_/]([\w ./@-]*[\w./@-])?$|^ENC\[[\w+/=:,]+\]$/
const ambiguousScalars = /^(y|n|yes|no|on|off|true|false|null|inf|nan)$/i

/** Blanks at the start or end of a line, and empty lines at either end, are where parsers differ. */
const safeBlock = /^[^\s](?:[^\n]*[^\s])?(?:\n(?: *[^\s](?:[^\n]*[^\s])?)?)*\n?$/
const unprintable = /[^\n\u0020-\u007e\u00a0-\u2027\u2030-\ufefe\u{10000}-\u{10ffff}]/u

const yaml11LineBreaks = /[\u0085\u2028\u2029\ufeff]/g
const escapes: Record<string, string> = {
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
  '\ufeff': '\\uFEFF',
}
