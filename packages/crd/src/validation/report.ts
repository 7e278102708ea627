import { sameJson } from '@agents/kube'
import {
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field-error/constructors.ts'
import { stringFormat } from '../format/formats.ts'
import { goJson } from '../go-json.ts'
import { goQuote } from '../go-text.ts'
import { isJsonObject, ownValue } from '../schema/json-value.ts'
import { exceedsDepth, maxValueDepth } from '../schema/nesting.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { type Correlation, correlatedItem, correlatedMember, isUnchanged } from './correlation.ts'
import type { Finding } from './finding.ts'
import { isNearlyInteger, type JsonType, jsonTypeOf } from './json-type.ts'
import { checkJunctors } from './junctors.ts'
import { checkNumber } from './number-rules.ts'
import { fieldOf, merge, type Report, type ReportContext } from './outcome.ts'

/**
 * Validates a value and words all errors as kube-openapi's validator does. This is the slow, exact walk: it runs only
 * if the compiled check is false.
 */
export function report(
  schema: Schema,
  value: Json,
  path: string,
  context: ReportContext,
  correlation: Correlation | undefined,
): Report {
  const result: Report = { findings: [], matches: 0 }
  if (value === null) {
    reportNull(schema, path, context, result)
    return result
  }
  const type = jsonTypeOf(value)
  const format = activeFormat(schema)
  if (hasType(schema) || format !== undefined) {
    const problem = typeProblem(schema, format, value, type, path, context)
    if (problem === undefined) result.matches += 1
    else result.findings.push(problem)
    result.matches += 1
  }
  // Errors in junctors are not ratcheted individually; the caller may ratchet the whole value.
  const evaluate = (branch: Schema) => report(branch, value, path, context, undefined)
  merge(result, checkJunctors(schema, path, context, evaluate))
  if (typeof value === 'string') reportString(schema, format, value, path, context, result)
  if (typeof value === 'number' || typeof value === 'bigint') {
    const field = fieldOf(path, context)
    const isInteger = type === 'integer'
    const number = isInteger ? value : Number(value)
    result.findings.push(...checkNumber(schema, number, isInteger, path, field))
    result.matches += 2
  }
  if (Array.isArray(value)) reportArray(schema, value, path, context, correlation, result)
  reportEnum(schema, value, path, context, result)
  result.matches += 1
  if (isJsonObject(value)) reportObject(schema, value, path, context, correlation, result)
  if (isOpaque(schema) && exceedsDepth(value, maxValueDepth)) {
    const detail = `${path} in body must not be nested deeper than ${maxValueDepth} levels`
    result.findings.push({ key: detail, error: invalid(fieldOf(path, context), type, detail) })
  }
  result.matches += 1
  return result
}

/** Whether the values of a schema are preserved without further description, so that only their depth is checked. */
export function isOpaque(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true
}

/** The effective format of a schema. Formats that the API server does not know for the type are ignored. */
export function activeFormat(schema: Schema): string | undefined {
  const { format } = schema
  if (format === undefined || format === '') return undefined
  if (schema['x-kubernetes-int-or-string'] === true || schema.type === undefined) {
    return stringFormat(format) === undefined ? undefined : format
  }
  switch (schema.type) {
    case 'string':
      return stringFormat(format) === undefined ? undefined : format
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : undefined
    case 'number':
      return format === 'float' || format === 'double' ? format : undefined
    default:
      return undefined
  }
}

function hasType(schema: Schema): boolean {
  return schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true
}

function typeNames(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string']
  return schema.type === undefined ? [] : [schema.type]
}

function reportNull(schema: Schema, path: string, context: ReportContext, result: Report): void {
  if (hasType(schema) && schema.nullable !== true) {
    result.findings.push(wrongType(path, typeNames(schema).join(','), 'null', context))
  } else {
    result.matches += 1
  }
  reportEnum(schema, null, path, context, result)
}

function typeProblem(
  schema: Schema,
  format: string | undefined,
  value: Json,
  type: JsonType,
  path: string,
  context: ReportContext,
): Finding | undefined {
  const names = typeNames(schema)
  const isNumberType = names.includes('number') || names.includes('integer')
  const matches =
    names.includes(type) ||
    (type === 'number' && names.includes('integer') && isNearlyInteger(Number(value))) ||
    (type === 'integer' && names.includes('number'))
  if (format !== undefined && type !== 'string' && type !== 'array' && !matches) {
    const actual = type === 'integer' ? 'int64' : type === 'number' ? 'float64' : ''
    if (actual !== format) return wrongType(path, format, actual, context)
  }
  // If there is a format, upstream does not check the type of strings and arrays.
  if (!isNumberType && format !== undefined && (type === 'string' || type === 'array'))
    return undefined
  return matches ? undefined : wrongType(path, names.join(','), type, context)
}

function wrongType(
  path: string,
  expected: string,
  actual: string,
  context: ReportContext,
): Finding {
  const detail = `${path} in body must be of type ${expected}: ${goQuote(actual)}`
  return { key: detail, error: typeInvalid(fieldOf(path, context), actual, detail) }
}

function reportString(
  schema: Schema,
  format: string | undefined,
  value: string,
  path: string,
  context: ReportContext,
  result: Report,
): void {
  const problem = stringProblem(schema, value, path, context)
  if (problem !== undefined) result.findings.push(problem)
  result.matches += 1
  const check = format === undefined ? undefined : stringFormat(format)
  if (format === undefined || check === undefined) return
  if (!check(value)) {
    const detail = `${path} in body must be of type ${format}: ${goQuote(value)}`
    result.findings.push({ key: detail, error: typeInvalid(fieldOf(path, context), value, detail) })
  }
  result.matches += 1
}

/** Checks length and pattern. Upstream stops at the first error. */
function stringProblem(
  schema: Schema,
  value: string,
  path: string,
  context: ReportContext,
): Finding | undefined {
  const field = fieldOf(path, context)
  if (schema.maxLength !== undefined && codePoints(value) > schema.maxLength) {
    const key = `${path} in body should be at most ${schema.maxLength} chars long`
    return { key, error: tooLong(field, schema.maxLength) }
  }
  if (schema.minLength !== undefined && codePoints(value) < schema.minLength) {
    const detail = `${path} in body should be at least ${schema.minLength} chars long`
    return { key: detail, error: invalid(field, value, detail) }
  }
  if (schema.pattern === undefined || schema.pattern === '') return undefined
  const pattern = context.pattern(schema.pattern)
  if (typeof pattern !== 'string' && pattern.test(value)) return undefined
  const formatted =
    typeof pattern === 'string'
      ? `${schema.pattern}, but pattern is invalid: ${pattern}`
      : schema.pattern
  const detail = `${path} in body should match '${formatted}'`
  return { key: detail, error: invalid(field, value, detail) }
}

export function codePoints(text: string): number {
  let count = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= 0xd800 && code <= 0xdbff && index + 1 < text.length) {
      const next = text.charCodeAt(index + 1)
      if (next >= 0xdc00 && next <= 0xdfff) {
        count -= 1
        index += 1
      }
    }
  }
  return count
}

function reportEnum(
  schema: Schema,
  value: Json,
  path: string,
  context: ReportContext,
  result: Report,
): void {
  const allowed = schema.enum
  if (allowed === undefined || allowed.length === 0) return
  // Null matches no entry, not even null, because upstream's comparison depends on a type.
  if (value !== null && allowed.some((entry) => entry !== null && sameJson(entry, value))) return
  const names = allowed.map((entry) => (typeof entry === 'string' ? entry : goJson(entry)))
  const key = `${path} in body should be one of [${names.join(' ')}]`
  result.findings.push({ key, error: notSupported(fieldOf(path, context), value, names) })
}

function reportArray(
  schema: Schema,
  value: Json[],
  path: string,
  context: ReportContext,
  correlation: Correlation | undefined,
  result: Report,
): void {
  const { items } = schema
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      const child = correlatedItem(correlation, index)
      merge(result, reportRatcheted(items, item, `${path}[${index}]`, context, child))
    }
  }
  const field = fieldOf(path, context)
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    const detail = `${path} in body should have at least ${schema.minItems} items`
    result.findings.push({ key: detail, error: invalid(field, value.length, detail) })
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    const key = `${path} in body should have at most ${schema.maxItems} items`
    result.findings.push({ key, error: tooMany(field, value.length, schema.maxItems) })
  }
  if (schema.uniqueItems === true && hasDuplicates(value)) {
    const detail = `${path} in body shouldn't contain duplicates`
    result.findings.push({ key: detail, error: invalid(field, '', detail) })
  }
  result.matches += 2
}

function hasDuplicates(items: readonly Json[]): boolean {
  return new Set(items.map(goJson)).size < items.length
}

function reportObject(
  schema: Schema,
  value: { [key: string]: Json },
  path: string,
  context: ReportContext,
  correlation: Correlation | undefined,
  result: Report,
): void {
  reportSize(schema, Object.keys(value).length, path, context, result)
  const { properties, additionalProperties } = schema
  for (const [key, member] of Object.entries(value)) {
    if (properties !== undefined && Object.hasOwn(properties, key)) continue
    if (additionalProperties === false) {
      const detail = `${path}.${key} in body is a forbidden property`
      result.findings.push({ key: detail, error: invalid(fieldOf(path, context), key, detail) })
    } else if (typeof additionalProperties === 'object') {
      const child = ratchetedMember(correlation, path, key)
      merge(result, reportRatcheted(additionalProperties, member, `${path}.${key}`, context, child))
    }
  }
  for (const [name, property] of Object.entries(properties ?? {})) {
    const member = ownValue(value, name)
    if (member === undefined) continue
    const memberPath = path === '' ? name : `${path}.${name}`
    const child = ratchetedMember(correlation, path, name)
    merge(result, reportRatcheted(property, member, memberPath, context, child))
  }
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name)) continue
    const key = `${path}.${name} in body is required`
    result.findings.push({ key, error: required(fieldOf(`${path}.${name}`, context)) })
  }
  result.matches += 1
}

function reportSize(
  schema: Schema,
  size: number,
  path: string,
  context: ReportContext,
  result: Report,
): void {
  const field = fieldOf(path, context)
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    const detail = `${path} in body should have at least ${schema.minProperties} properties`
    result.findings.push({ key: detail, error: invalid(field, size, detail) })
  }
  if (schema.maxProperties !== undefined && size > schema.maxProperties) {
    const key = `${path} in body should have at most ${schema.maxProperties} properties`
    result.findings.push({ key, error: tooMany(field, size, schema.maxProperties) })
  }
}

/**
 * The correlation of a member. The type of an object at the root is never ratcheted, because old and new are converted
 * to the same one.
 */
function ratchetedMember(
  correlation: Correlation | undefined,
  path: string,
  key: string,
): Correlation | undefined {
  if (path === '' && (key === 'kind' || key === 'apiVersion')) return undefined
  return correlatedMember(correlation, key)
}

/** Reports a value; errors are dropped if the update did not change it. */
export function reportRatcheted(
  schema: Schema,
  value: Json,
  path: string,
  context: ReportContext,
  correlation: Correlation | undefined,
): Report {
  const result = report(schema, value, path, context, correlation)
  const isRatcheted =
    result.findings.length > 0 && correlation !== undefined && isUnchanged(correlation)
  return isRatcheted ? { findings: [], matches: result.matches } : result
}
