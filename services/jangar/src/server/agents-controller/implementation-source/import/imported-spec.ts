import { createHash } from 'node:crypto'
import {
  type ImplementationSource,
  type ImplementationSpec,
  importMetadata,
} from '@agents/jangar-api'
import type { SourceIssue } from '../../../inbox/delivery/source-issue.ts'
import { labelValue } from '../../../kubernetes/labels.ts'
import { mappedTexts } from './mapping.ts'

/** On imported specs and on runs of triggers: the source, so that they can be listed. */
export const sourceLabel = importMetadata.labels.source
const providerLabel = importMetadata.labels.provider
const sourceUidAnnotation = importMetadata.annotations.sourceUid

/**
 * Whether a source of this name made the spec. Imports change no others; a source that is recreated continues, so its
 * UID is not compared. The admission policies refuse label and annotation to everybody but the platform.
 */
export function isImported(name: string, { metadata }: ImplementationSpec): boolean {
  const { labels, annotations } = metadata
  return (
    annotations?.[sourceUidAnnotation] !== undefined && labels?.[sourceLabel] === labelValue(name)
  )
}

const mostLabels = 100
const longestLabel = 256

/** Leaves room for the digest in a name that is also valid as a label. */
const longestStart = 52

/**
 * The name follows from the source and the issue, so that every delivery and every list find the same object. It
 * contains a digest: `a-b/c` and `a/b-c` are two repositories.
 */
export function specName(
  { metadata }: ImplementationSource,
  issue: Pick<SourceIssue, 'externalId'>,
): string {
  const id = issue.externalId.toLowerCase()
  const readable = id.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  const digest = createHash('sha256')
    .update(JSON.stringify([metadata.name, id]))
    .digest('hex')
  const start = readable.slice(0, longestStart).replace(/-+$/, '')
  return `${start === '' ? 'issue' : start}-${digest.slice(0, 10)}`
}

/** The ImplementationSpec of an issue. Polling and webhooks make the same. */
export function importedSpec(
  source: ImplementationSource,
  issue: SourceIssue,
  state: 'Open' | 'Closed',
): Pick<ImplementationSpec, 'metadata' | 'spec'> {
  const { metadata, spec } = source
  const { namespace, name, uid = '' } = metadata
  const labels = issue.labels.slice(0, mostLabels).map((label) => label.slice(0, longestLabel))
  return {
    metadata: {
      name: specName(source, issue),
      ...(namespace !== undefined && { namespace }),
      labels: { [sourceLabel]: labelValue(name), [providerLabel]: spec.provider },
      annotations: { [sourceUidAnnotation]: uid },
    },
    spec: {
      source: {
        provider: spec.provider,
        externalId: issue.externalId,
        ...(isWebUrl(issue.url) && { url: issue.url }),
        state,
        version: issue.version,
      },
      ...(spec.vcsRef && { vcsRef: spec.vcsRef }),
      ...mappedTexts(issue, spec.mapping),
      ...(labels.length > 0 && { labels: labels.map((label) => label.toWellFormed()) }),
    },
  }
}

/** Others would run code in a browser that shows them. */
function isWebUrl(text: string): boolean {
  const url = text.length <= 2048 ? URL.parse(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.password === ''
}

/** The issue with the repository as the source spells it: senders may spell it in another way. */
export function asSpelled(source: ImplementationSource, issue: SourceIssue): SourceIssue {
  const { repository } = source.spec.scope ?? {}
  if (repository === undefined || issue.repository === undefined) return issue
  if (repository.toLowerCase() !== issue.repository.toLowerCase()) return issue
  const number = issue.externalId.slice(issue.externalId.lastIndexOf('#'))
  return { ...issue, repository, externalId: `${repository}${number}` }
}
