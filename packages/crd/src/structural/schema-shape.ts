import { appendAll } from '../append-all.ts'
import { typeInvalid } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { goQuote } from '../go-text.ts'
import { isJsonObject } from '../schema/json-value.ts'
import { maxSchemaDepth } from '../schema/nesting.ts'
import type { Json } from '../schema/schema.ts'
import { jsonTypeOf } from '../validation/json-type.ts'

type Shape =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'strings'
  | 'array'
  | 'schema'
  | 'schemas'
  | 'properties'
  | 'rules'

const keywordShapes: Readonly<Record<string, Shape>> = {
  description: 'string',
  title: 'string',
  type: 'string',
  format: 'string',
  pattern: 'string',
  'x-kubernetes-list-type': 'string',
  'x-kubernetes-map-type': 'string',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
  minLength: 'integer',
  maxLength: 'integer',
  minItems: 'integer',
  maxItems: 'integer',
  minProperties: 'integer',
  maxProperties: 'integer',
  nullable: 'boolean',
  uniqueItems: 'boolean',
  exclusiveMinimum: 'boolean',
  exclusiveMaximum: 'boolean',
  'x-kubernetes-preserve-unknown-fields': 'boolean',
  'x-kubernetes-embedded-resource': 'boolean',
  'x-kubernetes-int-or-string': 'boolean',
  required: 'strings',
  'x-kubernetes-list-map-keys': 'strings',
  enum: 'array',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  properties: 'properties',
  'x-kubernetes-validations': 'rules',
}

/**
 * Checks that an untyped value has the shape of a schema, so that the other checks can rely on its types. A real API
 * server returns a decoding error for these.
 */
export function checkSchemaShape(value: unknown, path: string, depth = 0): FieldError[] {
  if (!isJsonObject(value)) return [mustBe('object', value, path)]
  if (depth > maxSchemaDepth) {
    const detail = `must not be nested deeper than ${maxSchemaDepth} levels`
    return [typeInvalid(path, 'object', detail)]
  }
  const errors: FieldError[] = []
  for (const [name, member] of Object.entries(value)) {
    const shape = Object.hasOwn(keywordShapes, name) ? keywordShapes[name] : undefined
    const field = `${path}.${name}`
    if (shape !== undefined) appendAll(errors, checkMember(shape, member, field, depth))
    else if (name === 'items' && !Array.isArray(member))
      appendAll(errors, checkSchemaShape(member, field, depth + 1))
    else if (name === 'additionalProperties' && typeof member !== 'boolean') {
      appendAll(errors, checkSchemaShape(member, field, depth + 1))
    }
    // One error is enough; a hostile schema could have thousands.
    if (errors.length > 0) return errors
  }
  return errors
}

function checkMember(shape: Shape, value: Json, field: string, depth: number): FieldError[] {
  switch (shape) {
    case 'string':
    case 'boolean':
      return typeof value === shape ? [] : [mustBe(shape, value, field)]
    case 'number':
      return typeof value === 'number' ? [] : [mustBe(shape, value, field)]
    case 'integer':
      return Number.isSafeInteger(value) ? [] : [mustBe(shape, value, field)]
    case 'strings':
      return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
        ? []
        : [mustBe('array of strings', value, field)]
    case 'array':
      return Array.isArray(value) ? [] : [mustBe('array', value, field)]
    case 'schema':
      return checkSchemaShape(value, field, depth + 1)
    case 'schemas':
      if (!Array.isArray(value)) return [mustBe('array', value, field)]
      return value.flatMap((branch, index) =>
        checkSchemaShape(branch, `${field}[${index}]`, depth + 1),
      )
    case 'properties':
      if (!isJsonObject(value)) return [mustBe('object', value, field)]
      return Object.entries(value).flatMap(([name, property]) =>
        checkSchemaShape(property, `${field}[${name}]`, depth + 1),
      )
    case 'rules':
      return checkRuleShapes(value, field)
  }
}

function checkRuleShapes(value: Json, field: string): FieldError[] {
  if (!Array.isArray(value)) return [mustBe('array', value, field)]
  return value.flatMap((rule, index) => {
    const ruleField = `${field}[${index}]`
    if (!isJsonObject(rule)) return [mustBe('object', rule, ruleField)]
    if (typeof rule.rule !== 'string')
      return [mustBe('string', rule.rule ?? null, `${ruleField}.rule`)]
    return ['message', 'messageExpression', 'reason', 'fieldPath']
      .filter((name) => rule[name] !== undefined && typeof rule[name] !== 'string')
      .map((name) => mustBe('string', rule[name], `${ruleField}.${name}`))
  })
}

function mustBe(expected: string, value: unknown, field: string): FieldError {
  const actual = value === undefined ? 'null' : jsonTypeOf(value as Json)
  return typeInvalid(
    field,
    actual,
    `${field} in body must be of type ${expected}: ${goQuote(actual)}`,
  )
}
