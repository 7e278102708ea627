import type { Filter, JsonPath, Slice, Step } from './parse-json-path.ts'

/**
 * Evaluates a path. A missing field has no results; `undefined` if the path does not match the shape of the value.
 */
export function findResults(path: JsonPath, value: unknown): unknown[] | undefined {
  let current: unknown[] = [value]
  for (const step of path) {
    const next = follow(step, current)
    if (next === undefined) return undefined
    current = next
  }
  return current
}

function follow(step: Step, values: unknown[]): unknown[] | undefined {
  switch (step.step) {
    case 'field':
      return fieldsOf(values, step.name)
    case 'wildcard':
      return values.flatMap(children)
    case 'recursive':
      return values.flatMap(descendants)
    case 'slice':
      return flatMapUnlessWrong(values, (value) => sliced(value, step.slice))
    case 'union':
      return flatMapUnlessWrong(step.paths, (path) => {
        let found: unknown[] | undefined = values
        for (const each of path) found = found === undefined ? undefined : follow(each, found)
        return found
      })
    case 'filter':
      return flatMapUnlessWrong(values, (value) => filtered(value, step.filter))
    case 'literal':
      return values.map(() => (step.isFloat === true ? new FloatLiteral(step.value) : step.value))
    case 'word':
      return undefined
  }
}

/** A number with a decimal point, which upstream never compares with an integer. */
class FloatLiteral {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

function flatMapUnlessWrong<T>(
  items: readonly T[],
  find: (item: T) => unknown[] | undefined,
): unknown[] | undefined {
  const all: unknown[] = []
  for (const item of items) {
    const found = find(item)
    if (found === undefined) return undefined
    all.push(...found)
  }
  return all
}

/** Evaluates a field, the most frequent step, without closures for speed. */
function fieldsOf(values: unknown[], name: string): unknown[] {
  const found: unknown[] = []
  for (const value of values) {
    if (hasField(value, name)) found.push(value[name])
  }
  return found
}

function hasField(value: unknown, name: string): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.hasOwn(value, name) &&
    (value as Record<string, unknown>)[name] !== undefined
  )
}

function children(value: unknown): unknown[] {
  if (typeof value === 'string') return [...value].map((character) => character.codePointAt(0))
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}

/** All objects and lists in a value, outermost first. */
function descendants(value: unknown): unknown[] {
  const parts = typeof value === 'string' ? [] : children(value)
  return parts.length === 0 ? [] : [value, ...parts.flatMap(descendants)]
}

function sliced(value: unknown, slice: Slice): unknown[] | undefined {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) return undefined
  let start = slice.start ?? 0
  let end = slice.end ?? value.length
  if (start < 0) start += value.length
  if (end < 0 || (end === 0 && slice.single)) end += value.length
  if (start === end) return []
  if (start < 0 || start >= value.length || end < 0 || end > value.length || start > end) {
    return undefined
  }
  const stride = slice.stride ?? 1
  if (stride <= 0) return undefined
  return value.slice(start, end).filter((_, index) => index % stride === 0)
}

function filtered(value: unknown, { left, operator, right }: Filter): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined
  const kept: unknown[] = []
  for (const item of value as unknown[]) {
    const lefts = findResults(left, item)
    if (operator === 'exists') {
      if (lefts === undefined || lefts.length > 0) kept.push(item)
      continue
    }
    const rights = findResults(right, item)
    if (lefts === undefined || rights === undefined) return undefined
    if (lefts.length === 0 || rights.length === 0) continue
    if (lefts.length > 1 || rights.length > 1) return undefined
    const passes = compare(lefts[0], operator, rights[0])
    if (passes === undefined) return undefined
    if (passes) kept.push(item)
  }
  return kept
}

/** Compares values of the same basic type; booleans only for equality. */
function compare(left: unknown, operator: string, right: unknown): boolean | undefined {
  const type = basicType(left)
  if (type === undefined || type !== basicType(right)) return undefined
  const a = plainValue(left)
  const b = plainValue(right)
  // biome-ignore lint/suspicious/noDoubleEquals: 1n and 1 are the same integer
  const equal = a == b
  if (operator === '==') return equal
  if (operator === '!=') return !equal
  if (type === 'boolean') return undefined
  switch (operator) {
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    default:
      return undefined
  }
}

function basicType(value: unknown): string | undefined {
  if (value instanceof FloatLiteral) return 'float'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float'
  if (typeof value === 'bigint') return 'integer'
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined
}

function plainValue(value: unknown): string | number | bigint | boolean {
  const plain = value instanceof FloatLiteral ? value.value : value
  return plain as string | number | bigint | boolean
}
