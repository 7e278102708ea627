import { appendAll } from '../append-all.ts'
import { duplicate, forbidden, invalid, required, tooMany } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { isJsonObject, type JsonObject } from '../schema/json-value.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { checkStructural, type StructuralOptions } from '../structural/check-structural.ts'
import { resolveFieldPath } from '../structural/field-path.ts'
import { checkSchemaShape } from '../structural/schema-shape.ts'
import { isUnset } from '../structural/zero.ts'
import { readObject, readText } from './read.ts'

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

export function checkColumn(column: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = []
  const type = readText(column, 'type')
  const format = readText(column, 'format')
  const jsonPath = readText(column, 'jsonPath')
  const types = `must be one of ${columnTypes.join(',')}`
  if (readText(column, 'name') === '') errors.push(required(`${field}.name`))
  if (type === '') errors.push(required(`${field}.type`, types))
  else if (!columnTypes.includes(type)) errors.push(invalid(`${field}.type`, type, types))
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(`${field}.format`, format, `must be one of ${columnFormats.join(',')}`))
  }
  if (jsonPath === '') errors.push(required(`${field}.JSONPath`))
  else appendAll(errors, checkJsonPath(jsonPath, `${field}.JSONPath`))
  return errors
}

function checkJsonPath(path: string, field: string): FieldError[] {
  return path.startsWith('.')
    ? []
    : [invalid(field, path, 'must be a simple json path starting with .')]
}

export function checkSubresources(
  subresources: JsonObject | undefined,
  field: string,
): FieldError[] {
  const scale = readObject(subresources, 'scale')
  if (scale === undefined) return []
  const selector = readText(scale, 'labelSelectorPath')
  const selectorField = `${field}.scale.labelSelectorPath`
  const errors = [
    ...checkReplicasPath(scale, 'specReplicasPath', '.spec', field),
    ...checkReplicasPath(scale, 'statusReplicasPath', '.status', field),
  ]
  if (selector === '') return errors
  const malformed = checkJsonPath(selector, selectorField)
  if (malformed.length > 0) return [...errors, ...malformed]
  if (!selector.startsWith('.spec.') && !selector.startsWith('.status.')) {
    errors.push(
      invalid(selectorField, selector, 'should be a json path under either .spec or .status'),
    )
  }
  return errors
}

function checkReplicasPath(
  scale: JsonObject,
  name: string,
  root: string,
  field: string,
): FieldError[] {
  const path = readText(scale, name)
  const pathField = `${field}.scale.${name}`
  if (path === '') return [required(pathField)]
  const malformed = checkJsonPath(path, pathField)
  if (malformed.length > 0) return malformed
  return path.startsWith(`${root}.`)
    ? []
    : [invalid(pathField, path, `should be a json path under ${root}`)]
}

/** The keywords that are allowed at the root, by their Go names as in the message, each with its JSON name. */
const allowedAtRoot = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
] as const

export function checkVersionSchema(
  schema: JsonObject,
  hasStatus: boolean,
  field: string,
  options: Pick<StructuralOptions, 'checkRules'>,
): FieldError[] {
  const misshapen = checkSchemaShape(schema, field)
  if (misshapen.length > 0) return misshapen
  const errors: FieldError[] = []
  if (hasStatus) appendAll(errors, checkRootWithStatus(schema, field))
  if (schema.nullable === true)
    errors.push(forbidden(`${field}.nullable`, 'nullable cannot be true at the root'))
  appendAll(errors, checkStructural(schema as Schema, { ...options, fieldPath: field }))
  return errors
}

/**
 * Checks the root schema of a version with a status subresource. The schema of the status is taken from the root's
 * properties, so that the root may not constrain it otherwise.
 */
function checkRootWithStatus(schema: JsonObject, field: string): FieldError[] {
  const allowed = new Set<string>(allowedAtRoot.map(([, name]) => name))
  // Upstream stops at the first error, and checks the type before nearly everything else.
  const members = Object.entries(schema).sort(
    ([a], [b]) => Number(b === 'type') - Number(a === 'type'),
  )
  for (const [name, value] of members) {
    if (isUnset(value) && name !== 'default') continue
    if (name === 'type' && value !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      return [invalid(`${field}.type`, value, detail)]
    }
    if (!allowed.has(name)) {
      const names = allowedAtRoot.map(([goName]) => goName).join(' ')
      const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`
      return [invalid(field, schema, detail)]
    }
  }
  return []
}

const maxSelectableFields = 8

export function checkSelectableFields(
  selectable: readonly Json[],
  schema: JsonObject | undefined,
  field: string,
): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, entry] of selectable.entries()) {
    const path = isJsonObject(entry) ? readText(entry, 'jsonPath') : ''
    const pathField = `${field}[${index}].jsonPath`
    if (path === '') {
      errors.push(required(pathField))
      continue
    }
    const found = resolveFieldPath(path, (schema ?? {}) as Schema, false)
    if ('problem' in found) {
      errors.push(invalid(pathField, path, `is an invalid path: ${found.problem}`))
      continue
    }
    if (found.root === 'metadata') {
      errors.push(invalid(pathField, path, 'must not point to fields in metadata'))
    }
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(pathField, path, detail))
    }
    if (seen.has(found.path)) errors.push(duplicate(pathField, path))
    seen.add(found.path)
  }
  if (seen.size > maxSelectableFields) errors.push(tooMany(field, seen.size, maxSelectableFields))
  return errors
}

/** Checks a deprecation warning, which must be short and printable, because it is sent in an HTTP header. */
export function checkDeprecation(version: JsonObject, field: string): FieldError[] {
  const warning = version.deprecationWarning
  if (typeof warning !== 'string') return []
  if (version.deprecated !== true)
    return [invalid(field, warning, 'can only be set for deprecated versions')]
  const errors: FieldError[] = []
  if (Buffer.byteLength(warning) > 256)
    errors.push(invalid(field, warning, 'must be <= 256 characters long'))
  if (warning === '') errors.push(invalid(field, warning, 'must not be an empty string'))
  const strange = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning)
  if (strange !== null) {
    const index = Buffer.byteLength(warning.slice(0, strange.index))
    const detail = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`
    errors.push(invalid(field, warning, detail))
  }
  return errors
}
