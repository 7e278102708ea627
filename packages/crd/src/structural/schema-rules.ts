import { appendAll } from '../append-all.ts'
import type { FieldError } from '../field-error.ts'
import type { Schema } from '../schema.ts'
import { forbidden, invalid, notSupported, required } from './field-errors.ts'
import { checkListRules } from './list-rules.ts'
import { checkRuleTexts } from './rule-texts.ts'
import { isUnset } from './zero.ts'

interface Place {
  readonly isRoot: boolean
  /** Below `metadata`, `kind` or `apiVersion` of a resource. */
  readonly isInMeta: boolean
  /** Why a default may not stand here; undefined where it may. */
  readonly noDefault: string | undefined
}

/** The rules of apiextensions for every schema inside a CRD, structural or not. */
export function checkSchemaRules(schema: Schema, path: string): FieldError[] {
  return visit(schema, path, { isRoot: true, isInMeta: false, noDefault: undefined })
}

function visit(schema: Schema, path: string, place: Place): FieldError[] {
  const errors = checkSupported(schema, path, place)
  const below: Place = { ...place, isRoot: false }
  if (schema.uniqueItems === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(forbidden(`${path}.uniqueItems`, detail))
  }
  const additional = schema.additionalProperties
  if (additional !== undefined) {
    if (additional !== true && !isUnset(schema.properties)) {
      const detail = 'additionalProperties and properties are mutual exclusive'
      errors.push(forbidden(`${path}.additionalProperties`, detail))
    }
    if (typeof additional === 'object') {
      const noDefault = place.isInMeta
        ? 'inside additionalProperties applying to object metadata'
        : place.noDefault
      appendAll(errors, visit(additional, `${path}.additionalProperties`, { ...below, noDefault }))
    }
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(
      ...visit(property, `${path}.properties[${name}]`, placeOfProperty(schema, name, place)),
    )
  }
  if (schema.not !== undefined) appendAll(errors, visit(schema.not, `${path}.not`, below))
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, branch] of (schema[junctor] ?? []).entries()) {
      appendAll(errors, visit(branch, `${path}.${junctor}[${index}]`, below))
    }
  }
  if (schema.items !== undefined && !Array.isArray(schema.items)) {
    appendAll(errors, visit(schema.items, `${path}.items`, below))
  }
  errors.push(
    ...checkMapType(schema, path),
    ...checkListRules(schema, path),
    ...checkRuleTexts(schema, path),
  )
  return errors
}

function placeOfProperty(schema: Schema, name: string, place: Place): Place {
  const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true
  const isMeta = name === 'metadata' || name === 'kind' || name === 'apiVersion'
  if (!isResource || !isMeta) return { ...place, isRoot: false }
  const noDefault = place.isRoot ? `in top-level ${name}` : place.noDefault
  return { isRoot: false, isInMeta: true, noDefault }
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']

const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const

/** Whether the schema itself, not one below it, uses what CRDs do not support. */
export function hasUnsupported(schema: Schema): boolean {
  const members = new Map<string, unknown>(Object.entries(schema))
  return UNSUPPORTED.some((name) => !isUnset(members.get(name)))
}

function checkSupported(schema: Schema, path: string, place: Place): FieldError[] {
  const errors: FieldError[] = []
  const type: string = schema.type ?? ''
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES))
  if (schema.default !== undefined && schema.default !== null && place.noDefault !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${place.noDefault}`))
  }
  const members = new Map<string, unknown>(Object.entries(schema))
  for (const name of UNSUPPORTED) {
    if (!isUnset(members.get(name)))
      errors.push(forbidden(`${path}.${name}`, `${name} is not supported`))
  }
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative'
    errors.push(forbidden(`${path}.type`, detail))
  }
  if (Array.isArray(schema.items)) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (place.isInMeta && schema['x-kubernetes-embedded-resource'] === true) {
    const detail = 'must not be used inside of resource meta'
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, detail))
  }
  return errors
}

function checkMapType(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = []
  const preserve: unknown = schema['x-kubernetes-preserve-unknown-fields']
  if (preserve === false) {
    const detail = 'must be true or undefined'
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, detail))
  }
  const mapType = schema['x-kubernetes-map-type']
  if (mapType === undefined) return errors
  if (schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified'
    errors.push(
      isUnset(schema.type)
        ? required(`${path}.type`, detail)
        : invalid(`${path}.type`, schema.type ?? '', detail),
    )
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ['atomic', 'granular']))
  }
  return errors
}
