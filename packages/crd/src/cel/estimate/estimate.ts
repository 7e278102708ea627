import type { Checked } from '../checker/checker.ts'
import {
  addRanges,
  fixed,
  multiplyRanges,
  type Range,
  saturated,
  uniteRanges,
} from '../cost/range.ts'
import {
  type CallEstimate,
  type EstimateCall,
  type EstimateNode,
  listCreateCost,
  mapCreateCost,
  structCreateCost,
} from '../declaration/call-estimate.ts'
import type { Overload } from '../declaration/declaration.ts'
import type { Call, Comprehension, Expr, Select } from '../syntax/ast.ts'
import { accumulatorName } from '../syntax/ast.ts'
import type { SchemaType } from '../type/schema-type.ts'
import { dynType, type Type, unwrapOptional } from '../type/type.ts'
import { estimateStandardCall } from './estimate-standard.ts'

/** Estimates the minimum and maximum cost of an expression from the bounds of `self` in the schema. */
export function estimateCost(checked: Checked, self: SchemaType | undefined): Range {
  const estimator: Estimator = {
    checked,
    self,
    paths: new Map(),
    sizes: new Map(),
    entries: new Map(),
    locals: new Map(),
  }
  return cost(estimator, checked.expr)
}

interface Estimator {
  readonly checked: Checked
  readonly self: SchemaType | undefined
  readonly paths: Map<Expr, readonly string[]>
  readonly sizes: Map<Expr, Range>
  readonly entries: Map<Expr, EntrySize>
  /** Variables of comprehensions, innermost last. */
  readonly locals: Map<string, Local[]>
}

interface EntrySize {
  readonly container: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

interface Local {
  readonly path: readonly string[] | undefined
  readonly size: Range | undefined
  readonly entry: EntrySize | undefined
}

const unknownRange: Range = { min: 0, max: saturated }

function cost(estimator: Estimator, expr: Expr): Range {
  switch (expr.kind) {
    case 'literal':
      return fixed(0)
    case 'message': {
      const parts = expr.fields.map(({ value }) => cost(estimator, value))
      return addRanges(sum(parts), fixed(structCreateCost))
    }
    case 'ident':
      estimator.paths.set(expr, pathOf(estimator, expr) ?? [expr.name])
      return fixed(1)
    case 'select':
      return costSelect(estimator, expr)
    case 'call':
      return costCall(estimator, expr)
    case 'list': {
      const parts = sum(expr.elements.map((element) => cost(estimator, element)))
      const value = expr.elements.map((element) => sizeOrUnknown(estimator, element))
      estimator.entries.set(expr, { container: 'list', key: fixed(1), value: unite(value) })
      return addRanges(parts, fixed(listCreateCost))
    }
    case 'map': {
      const parts = expr.entries.flatMap(({ key, value }) => [
        cost(estimator, key),
        cost(estimator, value),
      ])
      estimator.entries.set(expr, {
        container: 'map',
        key: unite(expr.entries.map(({ key }) => sizeOrUnknown(estimator, key))),
        value: unite(expr.entries.map(({ value }) => sizeOrUnknown(estimator, value))),
      })
      return addRanges(sum(parts), fixed(mapCreateCost))
    }
    case 'comprehension':
      return isBinding(expr) ? costBinding(estimator, expr) : costLoop(estimator, expr)
  }
}

function costSelect(estimator: Estimator, expr: Select): Range {
  const typeName = estimator.checked.typeNames.get(expr)
  if (typeName !== undefined) {
    estimator.paths.set(expr, [typeName])
    return fixed(1)
  }
  const operand = cost(estimator, expr.operand)
  if (expr.test) return operand
  const path = pathOf(estimator, expr.operand)
  estimator.paths.set(expr, [...(path ?? []), expr.field])
  const { kind } = typeOf(estimator, expr.operand)
  const selects = kind === 'map' || kind === 'struct' || kind === 'param'
  return selects ? addRanges(operand, fixed(1)) : operand
}

function costCall(estimator: Estimator, expr: Call): Range {
  const { checked } = estimator
  const [first] = expr.args
  const qualified = checked.qualified.has(expr)
  if (expr.name === 'dyn' && expr.target === undefined && first !== undefined) {
    const argument = cost(estimator, first)
    copySizes(estimator, expr, first)
    return addRanges(argument, fixed(1))
  }
  const argCosts = expr.args.map((arg) => cost(estimator, arg))
  const args = expr.args.map((arg) => nodeOf(estimator, arg))
  const overloads = checked.overloads.get(expr) ?? []
  if (expr.name === '_?._') return costOptionalSelect(estimator, expr, argCosts)
  if (overloads.length === 0) return fixed(0)
  const receiver = qualified ? undefined : expr.target
  const targetCost = receiver === undefined ? fixed(0) : cost(estimator, receiver)
  const call: EstimateCall = {
    target: receiver === undefined ? undefined : nodeOf(estimator, receiver),
    args,
    sizeOf: (node) => node.size ?? schemaSize(estimator, node.path) ?? unknownRange,
    elementOf,
  }
  let total: Range | undefined
  let size: Range | undefined
  for (const overload of overloads) {
    const estimate = estimateOverload(estimator, expr, overload, call, argCosts)
    total = total === undefined ? estimate.cost : uniteRanges(total, estimate.cost)
    if (estimate.size !== undefined) {
      size = size === undefined ? estimate.size : uniteRanges(size, estimate.size)
    }
    size = indexedSize(estimator, expr, overload, size) ?? sizeOf(estimator, expr)
  }
  if (size !== undefined) estimator.sizes.set(expr, size)
  return addRanges(targetCost, total ?? fixed(0))
}

function costOptionalSelect(estimator: Estimator, expr: Call, argCosts: readonly Range[]): Range {
  return addRanges(sum(argCosts), estimator.checked.types.has(expr) ? fixed(1) : fixed(0))
}

function estimateOverload(
  estimator: Estimator,
  expr: Call,
  overload: Overload,
  call: EstimateCall,
  argCosts: readonly Range[],
): CallEstimate {
  const own = overload.estimate?.(call)
  if (own !== undefined) return { ...own, cost: addRanges(own.cost, sum(argCosts)) }
  if (overload.id === 'conditional' || overload.id === 'add_list') {
    const [left, right] = expr.args.slice(-2).map((arg) => entryOf(estimator, arg))
    if (left !== undefined && right !== undefined) {
      estimator.entries.set(expr, {
        container: left.container,
        key: uniteRanges(left.key, right.key),
        value: uniteRanges(left.value, right.value),
      })
    }
  }
  return estimateStandardCall(overload.id, call, argCosts)
}

/** Records the path in the schema of the elements of a list or map. */
function indexedSize(
  estimator: Estimator,
  expr: Call,
  overload: Overload,
  size: Range | undefined,
): Range | undefined {
  const [container] = expr.args
  const step = { index_list: '@items', index_map: '@values' }[overload.id]
  if (step === undefined || container === undefined) return size
  estimator.paths.set(expr, [...(pathOf(estimator, container) ?? []), step])
  return entryOf(estimator, container)?.value
}

function costLoop(estimator: Estimator, expr: Comprehension): Range {
  const start = addRanges(cost(estimator, expr.range), cost(estimator, expr.init))
  const { locals } = estimator
  push(locals, expr.accumulator, {
    path: pathOf(estimator, expr.init),
    size: sizeOf(estimator, expr.init),
    entry: entryOf(estimator, expr.init),
  })
  const iteration = iterationLocals(estimator, expr)
  push(locals, expr.iterVar, iteration.first)
  if (expr.iterVar2 !== undefined) push(locals, expr.iterVar2, iteration.second)
  const each = addRanges(cost(estimator, expr.condition), cost(estimator, expr.step))
  locals.get(expr.iterVar)?.pop()
  if (expr.iterVar2 !== undefined) locals.get(expr.iterVar2)?.pop()
  const result = cost(estimator, expr.result)
  locals.get(expr.accumulator)?.pop()
  const count = sizeOrUnknown(estimator, expr.range)
  if (expr.init.kind === 'literal') {
    const size = sizeOf(estimator, expr.init)
    if (size !== undefined) estimator.sizes.set(expr, size)
  } else if (expr.init.kind === 'list' || expr.init.kind === 'map') {
    estimator.sizes.set(expr, count)
    const entry = entryOf(estimator, expr.step)
    if (entry !== undefined) estimator.entries.set(expr, entry)
  }
  return sum([start, result, multiplyRanges(count, each)])
}

function iterationLocals(
  estimator: Estimator,
  expr: Comprehension,
): { first: Local; second: Local } {
  const entry = entryOf(estimator, expr.range)
  const path = pathOf(estimator, expr.range) ?? []
  const isList = (entry?.container ?? typeOf(estimator, expr.range).kind) === 'list'
  const local = (step: string, size: Range | undefined): Local => ({
    path: [...path, step],
    size,
    entry: undefined,
  })
  const key = local(isList ? '@indices' : '@keys', entry?.key)
  const value = local(isList ? '@items' : '@values', entry?.value)
  const single = isList && expr.iterVar2 === undefined ? value : key
  return { first: single, second: value }
}

/** Whether a comprehension only binds a value to a name, as those of optMap() and sortBy() do. */
function isBinding(expr: Comprehension): boolean {
  return (
    expr.range.kind === 'list' &&
    expr.range.elements.length === 0 &&
    expr.condition.kind === 'literal' &&
    expr.condition.value.type === 'bool' &&
    !expr.condition.value.value
  )
}

function costBinding(estimator: Estimator, expr: Comprehension): Range {
  const start = addRanges(cost(estimator, expr.range), cost(estimator, expr.init))
  push(estimator.locals, expr.accumulator, {
    path: pathOf(estimator, expr.init),
    size: sizeOf(estimator, expr.init),
    entry: entryOf(estimator, expr.init),
  })
  const result = cost(estimator, expr.result)
  estimator.locals.get(expr.accumulator)?.pop()
  copySizes(estimator, expr, expr.result)
  return addRanges(start, result)
}

function nodeOf(estimator: Estimator, expr: Expr): EstimateNode {
  const path = pathOf(estimator, expr)
  return {
    expr,
    type: typeOf(estimator, expr),
    path: path?.[0] === accumulatorName ? undefined : path,
    size: sizeOf(estimator, expr),
  }
}

function elementOf(list: EstimateNode): EstimateNode | undefined {
  const [type] = list.type.params
  if (type === undefined) return undefined
  const path = list.path === undefined ? undefined : [...list.path, '@items']
  return { expr: undefined, type, path, size: undefined }
}

function sizeOrUnknown(estimator: Estimator, expr: Expr): Range {
  return sizeOf(estimator, expr) ?? unknownRange
}

function sizeOf(estimator: Estimator, expr: Expr): Range | undefined {
  const known = estimator.sizes.get(expr) ?? literalSize(expr)
  if (known !== undefined) return known
  const bounded = schemaSize(estimator, pathOf(estimator, expr))
  if (bounded !== undefined) {
    estimator.sizes.set(expr, bounded)
    return bounded
  }
  if (isScalar(typeOf(estimator, expr))) return fixed(1)
  return expr.kind === 'ident' ? localOf(estimator, expr.name)?.size : undefined
}

function literalSize(expr: Expr): Range | undefined {
  switch (expr.kind) {
    case 'literal':
      if (expr.value.type === 'string') return fixed([...expr.value.value].length)
      return fixed(expr.value.type === 'bytes' ? expr.value.value.length : 1)
    case 'list':
      return fixed(expr.elements.length)
    case 'map':
      return fixed(expr.entries.length)
    default:
      return undefined
  }
}

/** The bound of the schema at a path, which starts with the variable. */
function schemaSize(estimator: Estimator, path: readonly string[] | undefined): Range | undefined {
  let current = estimator.self
  if (path === undefined || path.length === 0) return undefined
  for (const step of path.slice(1)) {
    if (step === '@items' || step === '@values') current = current?.element
    else if (step === '@keys') current = current?.key
    else current = current?.fields?.get(step)
  }
  return current === undefined ? undefined : { min: 0, max: current.maxElements }
}

function pathOf(estimator: Estimator, expr: Expr): readonly string[] | undefined {
  const local = expr.kind === 'ident' ? localOf(estimator, expr.name) : undefined
  return local === undefined ? estimator.paths.get(expr) : local.path
}

function entryOf(estimator: Estimator, expr: Expr): EntrySize | undefined {
  const known = estimator.entries.get(expr)
  if (known !== undefined) return known
  return expr.kind === 'ident' ? localOf(estimator, expr.name)?.entry : undefined
}

function localOf(estimator: Estimator, name: string): Local | undefined {
  return estimator.locals.get(name)?.at(-1)
}

function copySizes(estimator: Estimator, to: Expr, from: Expr): void {
  const size = sizeOf(estimator, from)
  if (size !== undefined) estimator.sizes.set(to, size)
  const entry = entryOf(estimator, from)
  if (entry !== undefined) estimator.entries.set(to, entry)
}

function push(locals: Map<string, Local[]>, name: string, local: Local): void {
  const stack = locals.get(name) ?? []
  stack.push(local)
  locals.set(name, stack)
}

function typeOf(estimator: Estimator, expr: Expr): Type {
  return estimator.checked.types.get(expr) ?? dynType
}

function isScalar(type: Type): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true
    default: {
      const inner = unwrapOptional(type)
      return inner !== undefined && isScalar(inner)
    }
  }
}

function sum(ranges: readonly Range[]): Range {
  return ranges.reduce(addRanges, fixed(0))
}

function unite(ranges: readonly Range[]): Range {
  return ranges.length === 0 ? fixed(0) : ranges.reduce(uniteRanges)
}
