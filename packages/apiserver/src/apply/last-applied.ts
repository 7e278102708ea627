import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { isObject, type JsonObject } from '../json/json-value.ts'
import { parseBoundedJson } from '../json/parse-bounded-json.ts'
import { checkTyped } from './check-typed.ts'
import { changed, compare } from './compare.ts'
import { difference, type FieldSet } from './field-set.ts'
import { fieldSetOf } from './field-set-of.ts'
import type { FieldType } from './field-type.ts'
import { goJson } from './go-text.ts'
import { TypedError } from './typed-error.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
const maxAnnotationBytes = 256 * 1024

/** The only manager that takes over from client-side `kubectl apply` and updates its annotation. */
export const lastAppliedManager = 'kubectl'

/**
 * Fields that client-side `kubectl apply` has set and that have not changed since. Taking them over is not a conflict.
 * Undefined if the annotation is missing or invalid.
 */
export function fieldsOfLastApplied(type: FieldType, live: KubeObject): FieldSet | undefined {
  const text = live.metadata.annotations?.[annotation] ?? ''
  if (text === '') return undefined
  try {
    const applied = parseBoundedJson(text)
    if (!isObject(applied) || applied.apiVersion !== live.apiVersion) return undefined
    checkTyped(type, applied)
    const comparison = compare(type, applied, live as unknown as Json)
    const untouched = difference(fieldSetOf(type, applied), changed(comparison))
    return difference(untouched, comparison.removed)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypedError) return undefined
    throw error
  }
}

/** Updates the annotation, if the object has it, to what was applied. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const { annotations = {} } = object.metadata
  if ((annotations[annotation] ?? '') === '') return object
  const { [annotation]: _old, ...others } = annotations
  const kept = { ...others, [annotation]: `${goJson(withoutAnnotation(applied))}\n` }
  return {
    ...object,
    metadata: { ...object.metadata, annotations: fits(kept) ? kept : others },
  }
}

function withoutAnnotation(applied: KubeObject): Json {
  const object = applied as unknown as JsonObject
  const annotations = applied.metadata?.annotations
  if (annotations === undefined) return object
  const { [annotation]: _old, ...others } = annotations
  return {
    ...object,
    metadata: { ...(applied.metadata as unknown as JsonObject), annotations: others },
  }
}

function fits(annotations: Readonly<Record<string, string>>): boolean {
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  return bytes <= maxAnnotationBytes
}
