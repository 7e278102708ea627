import type { ContentAddress } from '@agents/artifact-store'
import type { Artifact } from '@agents/jangar-api'
import { conditionOf } from '../kubernetes/condition-of.ts'

const checksumForm = /^sha256:([0-9a-f]{64})$/

/** The digest in a checksum; undefined if it has another form. */
function digestIn(checksum: string | undefined): string | undefined {
  return checksumForm.exec(checksum ?? '')?.[1]
}

export function checksumOf(digest: string): string {
  return `sha256:${digest}`
}

/** Where the content of an artifact is or will be; undefined if it has none. */
export function addressOf({ metadata, spec }: Artifact): ContentAddress | undefined {
  const digest = digestIn(spec?.source?.checksum)
  const { namespace } = metadata
  return digest === undefined || namespace === undefined ? undefined : { namespace, digest }
}

const dayMs = 86_400_000

/** When the content is deleted, in milliseconds; undefined for never. Once expired, an artifact stays so. */
export function expiryOf(artifact: Artifact): number | undefined {
  if (conditionOf(artifact, 'Stored')?.reason === 'Expired') return 0
  const days = artifact.spec?.lifecycle?.ttlDays ?? 0
  const created = Date.parse(artifact.metadata.creationTimestamp ?? '')
  return days > 0 && Number.isFinite(created) ? created + days * dayMs : undefined
}

/** Whether an artifact keeps its content from being deleted. */
export function keepsContent(artifact: Artifact, now: Date): boolean {
  const expiry = expiryOf(artifact)
  return expiry === undefined || expiry > now.getTime()
}

const contentLabel = 'artifacts.proompteng.ai/content'

/** Finds the artifacts of the same content. A label has at most 63 characters. */
export function contentLabels(digest: string): Readonly<Record<string, string>> {
  return { [contentLabel]: digest.slice(0, 63) }
}

export function contentSelector(digest: string): string {
  return `${contentLabel}=${digest.slice(0, 63)}`
}
