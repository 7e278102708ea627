import { appendAll } from '../append-all.ts'
import { forbidden, invalid, tooLong } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import {
  dns1123LabelProblems,
  labelKeyProblems,
  labelValueProblems,
  pathSegmentProblems,
} from '../format/names.ts'
import { isDateTime } from '../format/time.ts'
import { isJsonObject, type JsonObject } from '../schema/json-value.ts'
import type { Json } from '../schema/schema.ts'

const maxAnnotationBytes = 256 * 1024

/** Checks the metadata of an embedded object: it must be decodable as ObjectMeta, with valid names and labels. */
export function checkObjectMeta(metadata: Json, field: string): FieldError[] {
  const misfit = decodeProblem(metadata)
  if (misfit !== undefined) return [invalid(field, metadata, misfit)]
  if (!isJsonObject(metadata)) return []
  const errors: FieldError[] = []
  const name = text(metadata, 'name')
  const generateName = text(metadata, 'generateName')
  const namespace = text(metadata, 'namespace')
  for (const problem of pathSegmentProblems(generateName, true)) {
    errors.push(invalid(`${field}.generateName`, generateName, problem))
  }
  for (const problem of pathSegmentProblems(name, false)) {
    errors.push(invalid(`${field}.name`, name, problem))
  }
  if (namespace !== '') {
    for (const problem of dns1123LabelProblems(namespace)) {
      errors.push(invalid(`${field}.namespace`, namespace, problem))
    }
  }
  const { generation } = metadata
  if ((typeof generation === 'number' || typeof generation === 'bigint') && generation < 0) {
    errors.push(invalid(`${field}.generation`, generation, 'must be greater than or equal to 0'))
  }
  appendAll(errors, checkLabels(metadata, `${field}.labels`))
  appendAll(errors, checkAnnotations(metadata, `${field}.annotations`))
  appendAll(errors, checkFinalizers(metadata, `${field}.finalizers`))
  return errors
}

export function checkLabels(metadata: JsonObject, field: string): FieldError[] {
  return Object.entries(strings(metadata, 'labels')).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid(field, value, problem)),
  ])
}

export function checkAnnotations(metadata: JsonObject, field: string): FieldError[] {
  const annotations = Object.entries(strings(metadata, 'annotations'))
  const errors = annotations.flatMap(([key]) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalid(field, key, problem)),
  )
  const bytes = annotations.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
  if (bytes > maxAnnotationBytes) errors.push(tooLong(field, maxAnnotationBytes))
  return errors
}

function checkFinalizers(metadata: JsonObject, field: string): FieldError[] {
  const { finalizers } = metadata
  if (!Array.isArray(finalizers)) return []
  const names = finalizers.filter((name) => typeof name === 'string')
  const errors = names.flatMap((name) =>
    labelKeyProblems(name).map((problem) => invalid(field, name, problem)),
  )
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set'
    errors.push(invalid(field, names, detail))
  }
  return errors
}

/** The checked members of ObjectMeta, by their Go type. */
const metadataChecks: Readonly<
  Record<string, 'string' | 'int64' | 'time' | 'strings' | 'list' | 'names'>
> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int64',
  deletionGracePeriodSeconds: 'int64',
  creationTimestamp: 'time',
  deletionTimestamp: 'time',
  labels: 'strings',
  annotations: 'strings',
  finalizers: 'names',
  ownerReferences: 'list',
  managedFields: 'list',
}

/** The error of Go's decoder for a value that is not an ObjectMeta; undefined if it is. */
function decodeProblem(metadata: Json): string | undefined {
  if (metadata === null) return undefined
  if (!isJsonObject(metadata)) return cannotDecode(metadata, '', 'v1.ObjectMeta')
  for (const [key, value] of Object.entries(metadata)) {
    const expected = Object.hasOwn(metadataChecks, key) ? metadataChecks[key] : undefined
    if (expected === undefined || value === null) continue
    const problem = memberProblem(key, value, expected)
    if (problem !== undefined) return problem
  }
  return undefined
}

function memberProblem(key: string, value: Json, expected: string): string | undefined {
  switch (expected) {
    case 'string':
      return typeof value === 'string' ? undefined : cannotDecode(value, key, goStringType(key))
    case 'int64':
      return isInteger(value) ? undefined : cannotDecode(value, key, 'int64')
    case 'time':
      if (typeof value !== 'string')
        return `json: cannot unmarshal ${jsonName(value)} into Go value of type string`
      return isDateTime(value)
        ? undefined
        : `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00"`
    case 'strings': {
      if (!isJsonObject(value)) return cannotDecode(value, key, 'map[string]string')
      const invalidItem = Object.values(value).find(
        (entry) => typeof entry !== 'string' && entry !== null,
      )
      return invalidItem === undefined ? undefined : cannotDecode(invalidItem, key, 'string')
    }
    case 'names': {
      if (!Array.isArray(value)) return cannotDecode(value, key, '[]string')
      const invalidItem = value.find((entry) => typeof entry !== 'string' && entry !== null)
      return invalidItem === undefined ? undefined : cannotDecode(invalidItem, key, 'string')
    }
    default: {
      const element = key === 'ownerReferences' ? 'OwnerReference' : 'ManagedFieldsEntry'
      if (!Array.isArray(value)) return cannotDecode(value, key, `[]v1.${element}`)
      const invalidItem = value.find((entry) => !isJsonObject(entry) && entry !== null)
      return invalidItem === undefined ? undefined : cannotDecode(invalidItem, key, `v1.${element}`)
    }
  }
}

function goStringType(key: string): string {
  return key === 'uid' ? 'types.UID' : 'string'
}

function cannotDecode(value: Json, key: string, goType: string): string {
  const where = key === '' ? 'value' : `struct field ObjectMeta.${key}`
  return `json: cannot unmarshal ${jsonName(value)} into Go ${where} of type ${goType}`
}

function jsonName(value: Json): string {
  if (typeof value === 'bigint') return 'number'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? 'array' : typeof value
}

function isInteger(value: Json): boolean {
  return typeof value === 'bigint' || Number.isSafeInteger(value)
}

function text(metadata: JsonObject, key: string): string {
  const value = metadata[key]
  return typeof value === 'string' ? value : ''
}

function strings(metadata: JsonObject, key: string): Record<string, string> {
  const value = metadata[key]
  if (!isJsonObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, typeof entry === 'string' ? entry : '']),
  )
}

/** Forbids a namespace in the metadata of a definition, which is cluster-scoped. */
export function forbidNamespace(metadata: JsonObject, field: string): FieldError[] {
  return text(metadata, 'namespace') === ''
    ? []
    : [forbidden(`${field}.namespace`, 'not allowed on this type')]
}
