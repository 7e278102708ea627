import { parseApiVersion } from '@agents/kube'
import { type Document, isScalar, parseAllDocuments, parseDocument, visit } from 'yaml'
import type { ManifestIdentity } from './identity.ts'

/** One document of a file. */
export interface ManifestDocument {
  /** Its bytes in the file, with the separator before it. */
  readonly text: string
  readonly identity: ManifestIdentity
}

export interface ManifestFile {
  /** In order; undefined for those that describe no object. All texts together are the file. */
  readonly documents: readonly (ManifestDocument | { readonly text: string })[]
}

export const isManifest = (
  document: ManifestDocument | { readonly text: string },
): document is ManifestDocument => 'identity' in document

/** Reads a file of any origin. Undefined when it is no YAML that can be told apart into documents safely. */
export const readManifests = (text: string): ManifestFile | undefined => {
  const documents = parseAll(text)
  if (documents === undefined) return undefined
  if (documents.length === 0) return { documents: [{ text }] }
  let start = 0
  return {
    documents: documents.map((document, index) => {
      const isLast = index === documents.length - 1
      const end = isLast ? text.length : (document.range?.[2] ?? text.length)
      const own = text.slice(start, end)
      start = end
      return describe(own, document)
    }),
  }
}

/** One document as a tree that keeps comments and style; undefined when a reader could take it for something else. */
export const parseEditable = (text: string): Document.Parsed | undefined => {
  const document = parseDocument(text, PARSING)
  const isDoubtful = document.errors.length > 0 || document.warnings.length > 0
  return isDoubtful || hasTwins(document) ? undefined : document
}

/** The parser's own search for keys that come twice compares each with each, which takes minutes for an object of many keys. */
const PARSING = {
  intAsBigInt: true,
  version: '1.2',
  maxAliasCount: 0,
  uniqueKeys: false,
} as const

const hasTwins = (document: Document.Parsed): boolean => {
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

const parseAll = (text: string): Document.Parsed[] | undefined => {
  try {
    const documents = parseAllDocuments(text, { ...PARSING, logLevel: 'silent' })
    if (!Array.isArray(documents)) return []
    const isBroken = documents.some((each) => each.errors.length > 0 || hasTwins(each))
    return isBroken ? undefined : documents
  } catch {
    return undefined
  }
}

/** Read from the tree alone: to follow aliases is not needed for it, and a file of a few lines could stand for gigabytes. */
const describe = (
  text: string,
  document: Document.Parsed,
): ManifestDocument | { readonly text: string } => {
  const at = (...path: string[]): string | undefined => {
    const value: unknown = document.getIn(path)
    return typeof value === 'string' ? value : undefined
  }
  const [apiVersion, kind, name] = [at('apiVersion'), at('kind'), at('metadata', 'name')]
  if (apiVersion === undefined || kind === undefined || !name) return { text }
  const namespace = document.hasIn(['metadata', 'namespace']) ? at('metadata', 'namespace') : ''
  if (namespace === undefined) return { text }
  const { group } = parseApiVersion(apiVersion)
  return { text, identity: { group, kind, namespace, name } }
}
