import { type Call, childrenOf, type Expr } from '../syntax/ast.ts'
import { addIssue, type IssueList } from '../syntax/issue.ts'
import { dynType, formatType, isDynamic, type Type, unwrapOptional } from '../type/type.ts'
import { toDuration, toTimestamp } from '../value/convert.ts'
import { compilePattern } from '../value/regex.ts'
import { CelError, type Value } from '../value/value.ts'
import type { Checked } from './checker.ts'
import { checkFormatCall } from './format-check.ts'

/** Checks literals without evaluating: dates, durations, patterns, formats, and lists of mixed types. */
export function checkLiterals(checked: Checked, issues: IssueList): void {
  visit(checked.expr, false)

  function visit(expr: Expr, formatted: boolean): void {
    if (expr.kind === 'call') checkCall(expr, checked, issues)
    if (!formatted && expr.kind === 'list') checkElements(checked, expr, issues)
    if (!formatted && expr.kind === 'map') checkEntries(checked, expr, issues)
    const within = formatted || (expr.kind === 'call' && expr.name === 'format')
    for (const child of childrenOf(expr)) visit(child, within)
  }
}

function checkCall(expr: Call, checked: Checked, issues: IssueList): void {
  const [argument] = expr.args
  const test = literalArguments.get(expr.name)
  if (test !== undefined && argument?.kind === 'literal') {
    const literal = argument.value
    const value: Value = literal.type === 'int' || literal.type === 'string' ? literal.value : null
    if (value !== null && test(value) instanceof CelError) {
      addIssue(issues, argument.offset, `invalid ${expr.name} argument`)
    }
  }
  if (expr.name === 'format') checkFormatCall(expr, checked, issues)
}

const literalArguments = new Map<string, (value: Value) => unknown>([
  ['duration', toDuration],
  ['timestamp', toTimestamp],
  ['matches', (value) => (typeof value === 'string' ? compilePattern(value) : undefined)],
])

/** Checks that the elements of a list have one type. Only the arguments of format() may differ. */
function checkElements(checked: Checked, expr: Expr & { kind: 'list' }, issues: IssueList): void {
  let first: Type | undefined
  for (const [index, element] of expr.elements.entries()) {
    const type = elementType(checked, element, expr.optional.has(index))
    first ??= type
    if (!isEquivalent(first, type)) {
      report(issues, element, first, type)
      return
    }
  }
}

function checkEntries(checked: Checked, expr: Expr & { kind: 'map' }, issues: IssueList): void {
  let keys: Type | undefined
  let values: Type | undefined
  for (const { key, value, optional } of expr.entries) {
    const keyType = elementType(checked, key, false)
    const valueType = elementType(checked, value, optional)
    keys ??= keyType
    values ??= valueType
    if (!isEquivalent(keys, keyType)) report(issues, key, keys, keyType)
    if (!isEquivalent(values, valueType)) report(issues, value, values, valueType)
  }
}

function elementType(checked: Checked, expr: Expr, optional: boolean): Type {
  const type = checked.types.get(expr) ?? dynType
  return optional ? (unwrapOptional(type) ?? type) : type
}

/** Whether two types are the same. A dynamic part equals only another dynamic one. */
function isEquivalent(left: Type, right: Type): boolean {
  if (isDynamic(left) || isDynamic(right)) return isDynamic(left) && isDynamic(right)
  return (
    left.kind === right.kind &&
    left.name === right.name &&
    left.params.length === right.params.length &&
    left.params.every((param, index) => isEquivalent(param, right.params[index] ?? dynType))
  )
}

function report(issues: IssueList, expr: Expr, expected: Type, actual: Type): void {
  const message = `expected type '${formatType(expected)}' but found '${formatType(actual)}'`
  addIssue(issues, expr.offset, message)
}
