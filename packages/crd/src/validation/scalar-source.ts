import { literal, type Program } from '../codegen/program.ts'
import { stringFormat } from '../format/formats.ts'
import type { Schema } from '../schema/schema.ts'
import type { ReportContext } from './outcome.ts'
import { activeFormat, codePoints } from './report.ts'

/** Statements that return false unless the string satisfies length, pattern and format. */
export function stringSource(
  program: Program,
  context: ReportContext,
  schema: Schema,
  v: string,
): string {
  const parts: string[] = []
  const { minLength, maxLength, pattern } = schema
  // A string has at most as many code points as code units and at least half as many, so that counting is rarely
  // needed.
  if (maxLength !== undefined) {
    const count = `${program.constant(codePoints)}(${v})`
    parts.push(
      `if (${v}.length > ${literal(maxLength)} && ${count} > ${literal(maxLength)}) return false;`,
    )
  }
  if (minLength !== undefined && minLength > 0) {
    const count = `${program.constant(codePoints)}(${v})`
    const sure = literal(minLength * 2 - 1)
    parts.push(`if (${v}.length < ${sure} && ${count} < ${literal(minLength)}) return false;`)
  }
  if (pattern !== undefined && pattern !== '') {
    const compiled = context.pattern(pattern)
    if (typeof compiled === 'string') return 'return false;'
    parts.push(`if (!${program.constant(compiled)}.test(${v})) return false;`)
  }
  const format = activeFormat(schema)
  const check = format === undefined ? undefined : stringFormat(format)
  if (check !== undefined) parts.push(`if (!${program.constant(check)}(${v})) return false;`)
  return parts.join('\n')
}

/** Statements that return false unless the number, a safe integer or a float, is certainly within its bounds. */
export function numberSource(schema: Schema, v: string): string {
  const parts: string[] = []
  const { minimum, maximum, multipleOf } = schema
  const bounds = [minimum, maximum, multipleOf].filter((bound) => bound !== undefined)
  // The exact walk handles the special cases of fractional bounds.
  if (bounds.some((bound) => !Number.isSafeInteger(bound))) return 'return false;'
  if (minimum !== undefined) {
    const fails = schema.exclusiveMinimum === true ? '<=' : '<'
    parts.push(`if (${v} ${fails} ${literal(minimum)}) return false;`)
  }
  if (maximum !== undefined) {
    const fails = schema.exclusiveMaximum === true ? '>=' : '>'
    parts.push(`if (${v} ${fails} ${literal(maximum)}) return false;`)
  }
  if (multipleOf !== undefined) {
    parts.push(
      multipleOf <= 0
        ? 'return false;'
        : `if (!Number.isSafeInteger(${v}) || ${v} % ${literal(multipleOf)} !== 0) return false;`,
    )
  }
  if (schema.type === 'integer' && schema.format === 'int32') {
    parts.push(`if (${v} < -2147483648 || ${v} > 2147483647) return false;`)
    if (bounds.some((bound) => Math.abs(bound) > 2147483647)) return 'return false;'
  }
  if (schema.type === 'number' && schema.format === 'float') {
    parts.push(`if (Math.abs(${v}) > 3.4e38) return false;`)
  }
  return parts.join('\n')
}
