import { formatDouble } from '../go-text.ts'
import type { Schema } from '../schema.ts'
import { invalid } from '../structural/field-errors.ts'
import type { Finding } from './finding.ts'
import { isNearlyInteger, MAX_INT64, MIN_INT64 } from './json-type.ts'

/**
 * Ranges, bounds and multiples. Upstream compares integers as int64, cutting fractional bounds towards zero, and
 * complains about a fractional bound on an integer field at every value; both are kept.
 */
export function checkNumber(
  schema: Schema,
  value: number | bigint,
  isInteger: boolean,
  path: string,
  field: string,
): Finding[] {
  const findings: Finding[] = []
  const add = (detail: string, shown: number | bigint = value) => {
    findings.push({ key: detail, error: invalid(field, shown, detail) })
  }
  const isInRange = (number: number | bigint, isWhole: boolean, what: string) => {
    const problem = rangeProblem(schema, number, isWhole, what, path)
    // Upstream loses the path of these.
    if (problem !== undefined) findings.push({ key: problem, error: invalid('', '', problem) })
    return problem === undefined
  }
  /** The bound as compared with: an integer for integers, unless the bound itself does not fit the type. */
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
  add: (detail: string, shown?: number | bigint) => void,
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
    const low = int32 ? -(2n ** 31n) : MIN_INT64
    const high = int32 ? 2n ** 31n - 1n : MAX_INT64
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
