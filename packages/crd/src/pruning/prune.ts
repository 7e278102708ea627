import { isJsonObject, ownValue } from '../json-value.ts'
import type { Json, Schema } from '../schema.ts'

const TYPE_AND_METADATA: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Drops what the schema does not specify and returns the paths of what was dropped, sorted. At the root of a resource
 * and of embedded resources `apiVersion`, `kind` and `metadata` are left alone, but embedded metadata keeps only what
 * metadata can have.
 */
export function prune(schema: Schema, value: Json, isResourceRoot: boolean): string[] {
  const dropped: string[] = []
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    pruneKnownOnly(schema, value, '', isResourceRoot, dropped)
  } else {
    pruneSpecified(schema, value, '', isResourceRoot, dropped)
  }
  return dropped.sort()
}

function pruneBelow(
  schema: Schema | undefined,
  value: Json,
  path: string,
  dropped: string[],
): void {
  if (schema === undefined) {
    pruneUnspecified(value, path, dropped)
    return
  }
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) {
    pruneKnownOnly(schema, value, path, isEmbedded, dropped)
  } else {
    pruneSpecified(schema, value, path, isEmbedded, dropped)
  }
}

function pruneSpecified(
  schema: Schema,
  value: Json,
  path: string,
  isResource: boolean,
  dropped: string[],
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      pruneBelow(schema.items, item, `${path}[${index}]`, dropped)
    return
  }
  if (!isJsonObject(value)) return
  for (const key of Object.keys(value)) {
    if (isResource && TYPE_AND_METADATA.has(key)) {
      if (path !== '' && key === 'metadata') pruneMetadata(value[key] ?? null, path, dropped)
      continue
    }
    const sub = describedMember(schema, key)
    if (sub !== 'unknown') {
      pruneBelow(sub, value[key] ?? null, member(path, key), dropped)
      continue
    }
    delete value[key]
    if (path !== '' || !TYPE_AND_METADATA.has(key)) dropped.push(member(path, key))
  }
}

/** Unknown members stay, together with all below them; what is specified is pruned as usual. */
function pruneKnownOnly(
  schema: Schema,
  value: Json,
  path: string,
  isResource: boolean,
  dropped: string[],
): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    const isEmbedded = items['x-kubernetes-embedded-resource'] === true
    for (const [index, item] of value.entries()) {
      pruneKnownOnly(items, item, `${path}[${index}]`, isEmbedded, dropped)
    }
    return
  }
  if (!isJsonObject(value)) return
  for (const key of Object.keys(value)) {
    if (isResource && TYPE_AND_METADATA.has(key)) {
      if (path !== '' && key === 'metadata') pruneMetadata(value[key] ?? null, path, dropped)
      continue
    }
    const sub = describedMember(schema, key)
    if (sub !== 'unknown') pruneBelow(sub, value[key] ?? null, member(path, key), dropped)
  }
}

/** What is no field of object metadata goes; the metadata of the resource itself is not the schema's business. */
function pruneMetadata(metadata: Json, path: string, dropped: string[]): void {
  if (!isJsonObject(metadata)) return
  for (const key of Object.keys(metadata)) {
    if (METADATA_FIELDS.has(key)) continue
    delete metadata[key]
    dropped.push(member(`${path}.metadata`, key))
  }
}

const METADATA_FIELDS: ReadonlySet<string> = new Set([
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
])

/** Below a place without a schema objects lose everything; arrays are searched, without recursion: they may be deep. */
function pruneUnspecified(value: Json, path: string, dropped: string[]): void {
  const pending: { value: Json; path: string }[] = [{ value, path }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next.value)) {
      for (const [index, item] of next.value.entries()) {
        if (typeof item === 'object') pending.push({ value: item, path: `${next.path}[${index}]` })
      }
    } else if (isJsonObject(next.value)) {
      for (const key of Object.keys(next.value)) {
        dropped.push(member(next.path, key))
        delete next.value[key]
      }
    }
  }
}

/** `additionalProperties: true` admits a member without describing it. */
function describedMember(schema: Schema, key: string): Schema | undefined | 'unknown' {
  const property = ownValue(schema.properties, key)
  if (property !== undefined) return property
  const additional = schema.additionalProperties
  if (additional === undefined) return 'unknown'
  return typeof additional === 'object' ? additional : undefined
}

function member(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
