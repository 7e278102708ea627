import type { Filter, JsonPath, Slice, Step } from './parse-json-path.ts'

/** How many values a path may still visit. */
interface Work {
  left: number
}

/** Far more than a cell can show. The results of a short path can double with each of its steps. */
const mostVisits = 100_000

/**
 * Evaluates a path. A missing field has no results; `undefined` if the path does not match the shape of the value, or
 * visits too many of its parts.
 */
export function findResults(
  path: JsonPath,
  value: unknown,
  work: Work = { left: mostVisits },
): unknown[] | undefined {
  return followAll(path, [value], work)
}

function followAll(path: JsonPath, values: unknown[], work: Work): unknown[] | undefined {
  let current = values
  for (const step of path) {
    const next = follow(step, current, work)
    work.left -= current.length
    if (next === undefined || work.left < 0) return undefined
    current = next
  }
  return current
}

function follow(step: Step, values: unknown[], work: Work): unknown[] | undefined {
  switch (step.step) {
    case 'field':
      return fieldsOf(values, step.name)
    case 'wildcard':
      return flatMapUnlessWrong(values, (value) => counted(children(value), work))
    case 'recursive':
      return flatMapUnlessWrong(values, (value) => descendants(value, work))
    case 'slice':
      return flatMapUnlessWrong(values, (value) => sliced(value, step.slice))
    case 'union':
      return flatMapUnlessWrong(step.paths, (path) => followAll(path, values, work))
    case 'filter':
      return flatMapUnlessWrong(values, (value) => filtered(value, step.filter, work))
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
    for (const one of found) all.push(one)
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

/** The values, unless they are too many. */
function counted(values: unknown[], work: Work): unknown[] | undefined {
  work.left -= values.length
  return work.left < 0 ? undefined : values
}

/** All objects and lists in a value, outermost first. */
function descendants(value: unknown, work: Work): unknown[] | undefined {
  const found: unknown[] = []
  const add = (one: unknown): boolean => {
    const parts = typeof one === 'string' ? [] : counted(children(one), work)
    if (parts === undefined) return false
    if (parts.length > 0) found.push(one)
    return parts.every(add)
  }
  return add(value) ? found : undefined
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

function filtered(
  value: unknown,
  { left, operator, right }: Filter,
  work: Work,
): unknown[] | undefined {
  if (!Array.isArray(value)) return undefined
  const kept: unknown[] = []
  for (const item of value as unknown[]) {
    const lefts = findResults(left, item, work)
    if (work.left < 0) return undefined
    if (operator === 'exists') {
      if (lefts === undefined || lefts.length > 0) kept.push(item)
      continue
    }
    const rights = findResults(right, item, work)
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
