import { type Document, isMap, parseAllDocuments, type Scalar, visit } from 'yaml'
import { SopsError } from './sops-error.ts'

export type YamlDocument = Document.Parsed

/** One YAML document. Integers come as bigint, so that what is an integer for SOPS can be told from a float. */
export const parseDocument = (text: string): YamlDocument => {
  const documents = parseAllDocuments(text, { intAsBigInt: true, merge: false, version: '1.2' })
  const [document, second] = Array.isArray(documents) ? documents : []
  if (document === undefined || second !== undefined) {
    throw new SopsError('there must be one YAML document', { code: 'invalid' })
  }
  // The parser's errors quote the text, which may be a secret.
  if (document.errors.length > 0)
    throw new SopsError('the document is not valid YAML', { code: 'invalid' })
  if (!isMap(document.contents)) throw new SopsError('the document is no map', { code: 'invalid' })
  return document
}

/** Text that every YAML parser reads as the same values: what another version would take for a date, a number or a boolean is quoted. */
export const printDocument = (document: YamlDocument): string => {
  visit(document, { Scalar: (_key, scalar) => quoteAmbiguous(scalar) })
  return document.toString({ lineWidth: 0 })
}

const quoteAmbiguous = (scalar: Scalar): void => {
  if (typeof scalar.value !== 'string') return
  if (scalar.type !== 'PLAIN' && scalar.type !== undefined) return
  if (scalar.type === undefined && scalar.value.includes('\n')) return
  if (!SAFE.test(scalar.value) || WORDS.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
}

const SAFE = /^[A-Za-z_/]([\w ./@-]*[\w./@-])?$|^ENC\[[\w+/=:,]+\]$/
const WORDS = /^(y|n|yes|no|on|off|true|false|null|inf|nan)$/i
