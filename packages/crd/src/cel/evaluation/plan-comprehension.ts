import type { Comprehension, Expr } from '../syntax/ast.ts'
import { listItem, mapFind, mapKeys } from '../value/container.ts'
import { CelError, isBoxed, isList, isMap, typeNameOf, type Value } from '../value/value.ts'
import { charge, type Evaluate, type Frame, type Plan, type Scope } from './plan-step.ts'

/** Plans a loop over a list or the keys of a map. The initial accumulator is evaluated on first access. */
export function planComprehension(
  expr: Comprehension,
  scope: Scope | undefined,
  allocate: () => number,
  planIn: (scope: Scope | undefined, part: Expr) => Evaluate,
): Plan {
  const init = planIn(scope, expr.init)
  const range = planIn(scope, expr.range)
  const [accumulator, first, second] = [allocate(), allocate(), allocate()]
  const outer: Scope = {
    name: expr.accumulator,
    slot: accumulator,
    init: (frame) => markGrowing(init(frame)),
    outer: scope,
  }
  let inner: Scope = { name: expr.iterVar, slot: first, outer }
  if (expr.iterVar2 !== undefined) inner = { name: expr.iterVar2, slot: second, outer: inner }
  const loop: Loop = {
    range,
    condition: planIn(inner, expr.condition),
    step: planIn(inner, expr.step),
    result: planIn(outer, expr.result),
    accumulator,
    first,
    second,
    twoVariables: expr.iterVar2 !== undefined,
  }
  return { kind: 'step', evaluate: (frame) => runLoop(loop, frame) }
}

interface Loop {
  readonly range: Evaluate
  readonly condition: Evaluate
  readonly step: Evaluate
  readonly result: Evaluate
  readonly accumulator: number
  readonly first: number
  readonly second: number
  readonly twoVariables: boolean
}

function runLoop(loop: Loop, frame: Frame): Value {
  const range = loop.range(frame)
  if (range instanceof CelError) return range
  const { slots } = frame
  // A nested comprehension starts again in each iteration of the outer one.
  slots[loop.accumulator] = undefined
  if (isList(range)) {
    for (let index = 0; index < range.items.length; index++) {
      const item = listItem(range, index)
      slots[loop.first] = loop.twoVariables ? BigInt(index) : item
      slots[loop.second] = item
      if (!iterate(loop, frame)) break
    }
  } else if (isMap(range)) {
    for (const key of mapKeys(range)) {
      slots[loop.first] = key
      if (loop.twoVariables) slots[loop.second] = mapFind(range, key) ?? null
      if (!iterate(loop, frame)) break
    }
  } else return new CelError(`got '${goTypeName(range)}', expected iterable type`)
  const result = loop.result(frame)
  settle(result)
  return result
}

/** The name that cel-go uses for a type that cannot be iterated. */
function goTypeName(value: Value): string {
  const name = typeNameOf(value).split('.').at(-1)?.replace('null_type', 'Null') ?? ''
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** Runs one iteration. Returns false if the loop is to stop. */
function iterate(loop: Loop, frame: Frame): boolean {
  if (loop.condition(frame) === false) return false
  frame.slots[loop.accumulator] = loop.step(frame)
  // The limit is checked in every iteration, even if the steps cost nothing.
  charge(frame, 0)
  return true
}

/** An accumulator that starts as an empty list or map is extended in place, so that map() and filter() are linear. */
function markGrowing(value: Value): Value {
  if (!isBoxed(value)) return value
  if (value.kind === 'list' && value.items.length === 0)
    return { ...value, items: [], growing: true }
  if (value.kind === 'map' && value.entries.size === 0) {
    return { ...value, entries: new Map(), growing: true }
  }
  return value
}

function settle(value: Value): void {
  if (isBoxed(value) && (value.kind === 'list' || value.kind === 'map')) value.growing = false
}
