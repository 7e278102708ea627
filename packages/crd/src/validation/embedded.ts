import { appendAll } from '../append-all.ts'
import { invalid, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { dns1035LabelProblems } from '../format/names.ts'
import { isJsonObject, type JsonObject, ownValue } from '../schema/json-value.ts'
import { memberSchema } from '../schema/member-schema.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { checkObjectMeta } from './object-meta.ts'

/** Checks the type and the metadata of all embedded resources. */
export function checkEmbedded(schema: Schema, value: Json, field: string): FieldError[] {
  const errors: FieldError[] = []
  visit(schema, value, field, errors)
  return errors
}

function visit(schema: Schema, value: Json, field: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries()) visit(items, item, `${field}[${index}]`, errors)
    return
  }
  if (!isJsonObject(value)) return
  if (schema['x-kubernetes-embedded-resource'] === true)
    appendAll(errors, checkResource(value, field))
  for (const [key, member] of Object.entries(value)) {
    const sub = memberSchema(schema, key)
    if (sub === undefined) continue
    const known = schema.properties !== undefined && Object.hasOwn(schema.properties, key)
    visit(sub, member, known ? child(field, key) : `${field}[${key}]`, errors)
  }
}

/** Checks an embedded resource: its type is required, its metadata is optional but must be valid. */
export function checkResource(value: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = []
  const apiVersion = ownValue(value, 'apiVersion')
  const kind = ownValue(value, 'kind')
  const metadata = ownValue(value, 'metadata')
  const apiVersionField = child(field, 'apiVersion')
  const kindField = child(field, 'kind')
  if (apiVersion === undefined) errors.push(required(apiVersionField))
  if (kind === undefined) errors.push(required(kindField))
  if (apiVersion !== undefined) {
    if (typeof apiVersion !== 'string')
      errors.push(invalid(apiVersionField, apiVersion, 'must be a string'))
    else if (apiVersion === '')
      errors.push(invalid(apiVersionField, apiVersion, 'must not be empty'))
    else if (apiVersion.split('/').length > 2) {
      errors.push(
        invalid(apiVersionField, apiVersion, `unexpected GroupVersion string: ${apiVersion}`),
      )
    }
  }
  if (kind !== undefined) {
    if (typeof kind !== 'string') errors.push(invalid(kindField, kind, 'must be a string'))
    else if (kind === '') errors.push(invalid(kindField, kind, 'must not be empty'))
    else {
      const problems = dns1035LabelProblems(kind.toLowerCase())
      if (problems.length > 0) {
        const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`
        errors.push(invalid(kindField, kind, detail))
      }
    }
  }
  if (metadata !== undefined) appendAll(errors, checkObjectMeta(metadata, child(field, 'metadata')))
  return errors
}

function child(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`
}
