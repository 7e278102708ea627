import { sameJson } from '@agents/kube'
import { appendAll } from '../append-all.ts'
import { forbidden, invalid, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { patternProblem } from '../format/pattern.ts'
import { ownValue } from '../schema/json-value.ts'
import type { Schema } from '../schema/schema.ts'
import { isUnset } from './zero.ts'

type Level = 'root' | 'item' | 'field'

const typeRequired: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

/** Checks the rules of structural schemas: a type at every level, and only value validation below junctors. */
export function checkInvariants(schema: Schema, path: string, level: Level = 'root'): FieldError[] {
  const errors: FieldError[] = []
  if (schema.type === 'array' && schema.items === undefined) {
    errors.push(required(`${path}.items`, 'must be specified'))
  }
  if (schema.items !== undefined)
    appendAll(errors, checkInvariants(schema.items, `${path}.items`, 'item'))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    appendAll(errors, checkInvariants(property, `${path}.properties[${name}]`, 'field'))
  }
  const additional = schema.additionalProperties
  if (additional !== undefined && level === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
  }
  if (typeof additional === 'object') {
    appendAll(errors, checkInvariants(additional, `${path}.additionalProperties`, 'field'))
  }
  appendAll(errors, checkExtensions(schema, path))
  errors.push(
    ...checkValueValidation(
      schema,
      isIntOrString(schema.anyOf),
      isIntOrString(schema.allOf?.[0]?.anyOf),
      path,
    ),
  )
  appendAll(errors, checkType(schema, path, level))
  appendAll(errors, checkTypeMeta(schema, path, level === 'root'))
  return errors
}

function checkExtensions(schema: Schema, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return []
  const detail = 'must be false if x-kubernetes-int-or-string is true'
  const excluded = [
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
  ] as const
  return excluded
    .filter((name) => schema[name] === true)
    .map((name) => invalid(`${path}.${name}`, true, detail))
}

function checkType(schema: Schema, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = []
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const isTypeless =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true
  if (isEmbedded && schema.type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(
      isUnset(schema.type)
        ? required(`${path}.type`, detail)
        : invalid(`${path}.type`, schema.type ?? '', detail),
    )
  } else if (isUnset(schema.type) && !isTypeless) {
    errors.push(required(`${path}.type`, typeRequired[level]))
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set'
    errors.push(forbidden(`${path}.additionalProperties`, detail))
  }
  if (level === 'root' && !isUnset(schema.type) && schema.type !== 'object') {
    errors.push(invalid(`${path}.type`, schema.type ?? '', 'must be object at the root'))
  }
  const isClosed =
    schema['x-kubernetes-preserve-unknown-fields'] !== true && isUnset(schema.properties)
  if (isEmbedded && isClosed) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(`${path}.properties`, detail))
  }
  return errors
}

/** Checks the schemas of an object's type and metadata, which the API server defines: they may specify very little. */
function checkTypeMeta(schema: Schema, path: string, isRoot: boolean): FieldError[] {
  const errors: FieldError[] = []
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true
  for (const name of ['kind', 'apiVersion']) {
    const property = ownValue(schema.properties, name)
    if (isResource && property !== undefined && property.type !== 'string') {
      errors.push(
        invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string'),
      )
    }
  }
  const metadata = ownValue(schema.properties, 'metadata')
  if (metadata === undefined) return errors
  const metadataPath = `${path}.properties[metadata]`
  if (isResource && metadata.type !== 'object') {
    errors.push(invalid(`${metadataPath}.type`, metadata.type ?? '', 'must be object'))
  }
  if (isRoot && !restrictsNameOnly(metadata)) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(forbidden(metadataPath, detail))
  }
  return errors
}

function restrictsNameOnly(metadata: Schema): boolean {
  return Object.entries(metadata).every(([key, value]) => {
    if (key === 'type' || key === 'default' || isUnset(value)) return true
    if (key !== 'properties') return false
    return Object.keys(metadata.properties ?? {}).every(
      (name) => name === 'name' || name === 'generateName',
    )
  })
}

/** Whether the branches are the two that may accompany int-or-string. */
function isIntOrString(branches: readonly Schema[] | undefined): boolean {
  if (branches?.length !== 2) return false
  return sameJson(JSON.parse(JSON.stringify(branches)), [{ type: 'integer' }, { type: 'string' }])
}

function checkValueValidation(
  schema: Schema,
  skipAnyOf: boolean,
  skipAnyOfOfFirst: boolean,
  path: string,
): FieldError[] {
  const errors: FieldError[] = []
  if (!skipAnyOf) {
    for (const [index, branch] of (schema.anyOf ?? []).entries()) {
      appendAll(errors, checkNested(branch, false, `${path}.anyOf[${index}]`))
    }
  }
  for (const [index, branch] of (schema.allOf ?? []).entries()) {
    appendAll(
      errors,
      checkNested(branch, skipAnyOfOfFirst && index === 0, `${path}.allOf[${index}]`),
    )
  }
  for (const [index, branch] of (schema.oneOf ?? []).entries()) {
    appendAll(errors, checkNested(branch, false, `${path}.oneOf[${index}]`))
  }
  if (schema.not !== undefined) appendAll(errors, checkNested(schema.not, false, `${path}.not`))
  const problem = schema.pattern ? patternProblem(schema.pattern) : undefined
  if (schema.pattern !== undefined && problem !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${problem}`
    errors.push(invalid(`${path}.pattern`, schema.pattern, detail))
  }
  return errors
}

const forbiddenBelowJunctors = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
] as const

function checkNested(schema: Schema, skipAnyOf: boolean, path: string): FieldError[] {
  const errors = checkValueValidation(schema, skipAnyOf, false, path)
  if (schema.items !== undefined)
    appendAll(errors, checkNested(schema.items, false, `${path}.items`))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    appendAll(errors, checkNested(property, false, `${path}.properties[${name}]`))
  }
  for (const [name, mustBe] of forbiddenBelowJunctors) {
    const value = schema[name]
    const isSet =
      name === 'default' || name === 'additionalProperties' ? isGiven(value) : !isUnset(value)
    if (isSet) errors.push(forbidden(`${path}.${name}`, `must be ${mustBe} to be structural`))
  }
  if (ownValue(schema.properties, 'metadata') !== undefined) {
    errors.push(
      forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'),
    )
  }
  return errors
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}
