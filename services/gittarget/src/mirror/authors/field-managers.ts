import { createHash } from 'node:crypto'
import type { KubeObject } from '@agents/kube'

type Entry = NonNullable<KubeObject['metadata']['managedFields']>[number]

/** A write as the API server records it in managedFields. */
export interface FieldWrite {
  readonly manager: string
  /** By the clock of the API server, in whole seconds; empty if it was not recorded. */
  readonly time: string
  /** The subresources that were written, such as `scale`; empty text for the object itself. */
  readonly subresources: readonly string[]
}

/**
 * Replaces the field sets of managedFields by digests, which take little memory and still show whether a set changed.
 * Applied to its own result, it changes nothing.
 */
export function withFieldDigests(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata
  if (managedFields === undefined) return object
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: managedFields.map(withDigest) },
  }
}

function withDigest({ manager, operation, time, subresource, fieldsV1 }: Entry): Entry {
  const { digest = digestOf(fieldsV1) } = fieldsV1 ?? {}
  return {
    ...(manager !== undefined && { manager }),
    ...(operation !== undefined && { operation }),
    ...(time !== undefined && { time }),
    ...(subresource !== undefined && { subresource }),
    fieldsV1: { digest },
  }
}

/** Real field sets have keys that start with `f:`, `k:`, `v:` or `i:`, so none is taken for a digest. */
function digestOf(fields: Entry['fieldsV1']): string {
  return createHash('sha1')
    .update(JSON.stringify(fields ?? {}))
    .digest('base64url')
    .slice(0, 10)
}

/**
 * The write that made the change from `before` to `after`; undefined if it is not known. The API server sets
 * the time of the manager that sets a field. It does not record who removes fields or deletes an object.
 */
export function changedBy(
  before: KubeObject | undefined,
  after: KubeObject,
  includesStatus = false,
): FieldWrite | undefined {
  const old = new Map(entriesOf(before, includesStatus).map((entry) => [keyOf(entry), entry]))
  const entries = entriesOf(after, includesStatus)
  if (before === undefined) return onlyNewest(entries)
  if (isTerminating(after) && !isTerminating(before)) return undefined
  const written = entries.filter((entry) => old.get(keyOf(entry))?.time !== entry.time)
  if (written.length > 0) return onlyNewest(written)
  const isRemoval =
    old.size !== entries.length ||
    entries.some((entry) => old.get(keyOf(entry))?.fieldsV1?.digest !== entry.fieldsV1?.digest)
  // Times have seconds: two writes of one manager in a second leave the same entry.
  return isRemoval ? undefined : onlyNewest(entries)
}

/** The managers of the last write; several if they wrote in the same second. */
export function latestManagers(object: KubeObject, includesStatus = false): string[] {
  return managersOf(newestOf(entriesOf(object, includesStatus)))
}

/** Writes of the status count only if manifests show it. */
function entriesOf(object: KubeObject | undefined, includesStatus: boolean): readonly Entry[] {
  const entries = object?.metadata.managedFields ?? []
  return includesStatus ? entries : entries.filter(({ subresource }) => subresource !== 'status')
}

function keyOf({ manager, operation, subresource }: Entry): string {
  return JSON.stringify([manager, operation, subresource])
}

function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** The newest write; undefined if several managers have its time, because their order is not known. */
function onlyNewest(entries: readonly Entry[]): FieldWrite | undefined {
  const newest = newestOf(entries)
  const [manager, ...others] = managersOf(newest)
  if (manager === undefined || others.length > 0) return undefined
  const subresources = newest.map(({ subresource = '' }) => subresource)
  return { manager, time: newest[0]?.time ?? '', subresources: [...new Set(subresources)] }
}

function newestOf(entries: readonly Entry[]): Entry[] {
  const newest = entries.reduce((latest, { time = '' }) => (time > latest ? time : latest), '')
  return entries.filter(({ time = '' }) => time === newest)
}

function managersOf(entries: readonly Entry[]): string[] {
  return [...new Set(entries.flatMap(({ manager }) => manager ?? []))]
}
