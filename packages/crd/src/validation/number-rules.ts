import { invalid } from '../field-error/constructors.ts'
import { formatDouble } from '../go-text.ts'
import type { Schema } from '../schema/schema.ts'
import type { Finding } from './finding.ts'
import { isNearlyInteger, maxInt64, minInt64 } from './json-type.ts'

/**
 * Checks ranges, bounds and multiples. As in upstream, integers are compared as int64 with bounds truncated towards
 * zero, and a fractional bound of an integer field is an error for every value.
 */
export function checkNumber(
  schema: Schema,
  value: number | bigint,
  isInteger: boolean,
  path: string,
  field: string,
): Finding[] {
  const findings: Finding[] = []
  const add = (detail: string, formatted: number | bigint = value) => {
    findings.push({ key: detail, error: invalid(field, formatted, detail) })
  }
  const isInRange = (number: number | bigint, isWhole: boolean, what: string) => {
    const problem = rangeProblem(schema, number, isWhole, what, path)
    // Upstream omits the path of these.
    if (problem !== undefined) findings.push({ key: problem, error: invalid('', '', problem) })
    return problem === undefined
  }
  /** The bound for the comparison: an integer for integers, unless the bound does not fit the type. */
  const comparable = (bound: number, what: string) =>
    isInRange(bound, Number.isInteger(bound), what) && isInteger ? BigInt(Math.trunc(bound)) : bound
  isInRange(value, isInteger, 'Checked')
  if (schema.multipleOf !== undefined) {
    checkMultiple(value, comparable(schema.multipleOf, 'MultipleOf'), path, add)
  }
  if (schema.minimum !== undefined) {
    const bound = comparable(schema.minimum, 'Minimum boundary')
    const exclusive = schema.exclusiveMinimum === true
    if (exclusive ? value <= bound : value < bound) {
      const relation = exclusive ? 'greater than' : 'greater than or equal to'
      add(`${path} in body should be ${relation} ${printBound(bound)}`)
    }
  }
  if (schema.maximum !== undefined) {
    const bound = comparable(schema.maximum, 'Maximum boundary')
    const exclusive = schema.exclusiveMaximum === true
    if (exclusive ? value >= bound : value > bound) {
      const relation = exclusive ? 'less than' : 'less than or equal to'
      add(`${path} in body should be ${relation} ${printBound(bound)}`)
    }
  }
  return findings
}

function checkMultiple(
  value: number | bigint,
  factor: number | bigint,
  path: string,
  add: (detail: string, formatted?: number | bigint) => void,
): void {
  if (factor <= 0) {
    add(`factor MultipleOf declared for ${path} must be positive: ${printBound(factor)}`, factor)
    return
  }
  const fits =
    typeof factor === 'bigint'
      ? BigInt(value) % factor === 0n
      : isNearlyInteger(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor)
  if (!fits) add(`${path} in body should be a multiple of ${printBound(factor)}`)
}

function rangeProblem(
  schema: Schema,
  value: number | bigint,
  isWhole: boolean,
  what: string,
  path: string,
): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return undefined
  if (schema.type === 'integer') {
    const int32 = schema.format === 'int32'
    const low = int32 ? -(2n ** 31n) : minInt64
    const high = int32 ? 2n ** 31n - 1n : maxInt64
    if (isWhole && value >= low && value <= high) return undefined
    const format =
      schema.format === 'int32' || schema.format === 'int64' ? schema.format : undefined
    return format === undefined
      ? `${what} value must be of type integer (default format) in ${path}`
      : `${what} value must be of type integer with format ${format} in ${path}`
  }
  const overflows = !Number.isFinite(Math.fround(Number(value)))
  if (schema.type === 'number' && schema.format === 'float' && overflows) {
    return `${what} value must be of type number with format float in ${path}`
  }
  return undefined
}

function printBound(bound: number | bigint): string {
  return typeof bound === 'bigint' ? bound.toString() : formatDouble(bound)
}
