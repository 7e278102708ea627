import { createHash } from 'node:crypto'
import {
  leaf,
  listOf,
  mapOf,
  type ReadBy,
  readJsonDocument,
  record,
  someText,
} from '../reader/reader.ts'

/**
 * The variable with the digests of documents that reach the pod in a ConfigMap, as JSON. Whoever may delete and create
 * ConfigMaps can replace one after the Job was created. A variable is part of the Job's template, which is immutable.
 */
export const documentDigestsVariable = 'AGENT_DOCUMENT_DIGESTS'

/** The variable with the plan, as JSON, in the container that verifies documents. */
export const documentsPlanVariable = 'AGENT_DOCUMENTS_PLAN'

/** SHA-256 in hexadecimal. */
const digest = leaf(
  'a SHA-256 digest in hexadecimal',
  (value): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
)

/** By path. */
const documentDigests = mapOf(digest)

export type DocumentDigests = ReadBy<typeof documentDigests>

/** Documents to verify, and the files that get their content. */
const documentsPlan = listOf(record({ from: someText, to: someText, digest }))

export type DocumentsPlan = ReadBy<typeof documentsPlan>

export function parseDocumentDigests(document: string) {
  return readJsonDocument(documentDigests, document)
}

export function parseDocumentsPlan(document: string) {
  return readJsonDocument(documentsPlan, document)
}

export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
