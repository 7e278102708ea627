import { appendAll } from '../append-all.ts'
import { forbidden, invalid, notSupported, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import type { Schema } from '../schema/schema.ts'
import { checkListRules } from './list-rules.ts'
import { checkRuleTexts } from './rule-texts.ts'
import { isUnset } from './zero.ts'

interface Context {
  readonly isRoot: boolean
  /** Whether the schema is below `metadata`, `kind` or `apiVersion` of a resource. */
  readonly isInMeta: boolean
  /** Why a default is not allowed here; undefined if it is. */
  readonly noDefault: string | undefined
}

/** Checks the rules of apiextensions for every schema in a CRD, structural or not. */
export function checkSchemaRules(schema: Schema, path: string): FieldError[] {
  return visit(schema, path, { isRoot: true, isInMeta: false, noDefault: undefined })
}

function visit(schema: Schema, path: string, context: Context): FieldError[] {
  const errors = checkSupported(schema, path, context)
  const below: Context = { ...context, isRoot: false }
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
      const noDefault = context.isInMeta
        ? 'inside additionalProperties applying to object metadata'
        : context.noDefault
      appendAll(errors, visit(additional, `${path}.additionalProperties`, { ...below, noDefault }))
    }
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(
      ...visit(property, `${path}.properties[${name}]`, contextOfProperty(schema, name, context)),
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

function contextOfProperty(schema: Schema, name: string, context: Context): Context {
  const isResource = context.isRoot || schema['x-kubernetes-embedded-resource'] === true
  const isMeta = name === 'metadata' || name === 'kind' || name === 'apiVersion'
  if (!isResource || !isMeta) return { ...context, isRoot: false }
  const noDefault = context.isRoot ? `in top-level ${name}` : context.noDefault
  return { isRoot: false, isInMeta: true, noDefault }
}

const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string']

const unsupportedKeywords = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const

/** Whether the schema itself, not a subschema, uses a keyword that CRDs do not support. */
export function hasUnsupported(schema: Schema): boolean {
  const members = new Map<string, unknown>(Object.entries(schema))
  return unsupportedKeywords.some((name) => !isUnset(members.get(name)))
}

function checkSupported(schema: Schema, path: string, context: Context): FieldError[] {
  const errors: FieldError[] = []
  const type: string = schema.type ?? ''
  if (type !== '' && !schemaTypes.includes(type))
    errors.push(notSupported(`${path}.type`, type, schemaTypes))
  if (schema.default !== undefined && schema.default !== null && context.noDefault !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${context.noDefault}`))
  }
  const members = new Map<string, unknown>(Object.entries(schema))
  for (const name of unsupportedKeywords) {
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
  if (context.isInMeta && schema['x-kubernetes-embedded-resource'] === true) {
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
