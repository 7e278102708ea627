import { isJsonObject, ownValue } from '../schema/json-value.ts'
import type { Json, Schema } from '../schema/schema.ts'

const typeAndMetadata: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/**
 * Drops fields that the schema does not specify, in place. Returns their sorted paths. At the root of a resource and of
 * embedded resources, `apiVersion`, `kind` and `metadata` are kept, but unknown fields of embedded metadata are
 * dropped.
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
    if (isResource && typeAndMetadata.has(key)) {
      if (path !== '' && key === 'metadata') pruneMetadata(value[key] ?? null, path, dropped)
      continue
    }
    const sub = describedMember(schema, key)
    if (sub !== 'unknown') {
      pruneBelow(sub, value[key] ?? null, member(path, key), dropped)
      continue
    }
    delete value[key]
    if (path !== '' || !typeAndMetadata.has(key)) dropped.push(member(path, key))
  }
}

/**
 * Prunes an object that preserves unknown fields: those are kept with everything below them, specified ones are pruned.
 */
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
    if (isResource && typeAndMetadata.has(key)) {
      if (path !== '' && key === 'metadata') pruneMetadata(value[key] ?? null, path, dropped)
      continue
    }
    const sub = describedMember(schema, key)
    if (sub !== 'unknown') pruneBelow(sub, value[key] ?? null, member(path, key), dropped)
  }
}

/** Drops unknown fields of embedded metadata. The metadata of the resource itself is not pruned. */
function pruneMetadata(metadata: Json, path: string, dropped: string[]): void {
  if (!isJsonObject(metadata)) return
  for (const key of Object.keys(metadata)) {
    if (metadataFields.has(key)) continue
    delete metadata[key]
    dropped.push(member(`${path}.metadata`, key))
  }
}

const metadataFields: ReadonlySet<string> = new Set([
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

/**
 * Prunes a value without a schema: objects lose all fields. Nested arrays are walked without recursion, because they
 * may be deep.
 */
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

/**
 * The schema of a member; undefined if `additionalProperties: true` allows it without a schema, 'unknown' if it is not
 * specified.
 */
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
