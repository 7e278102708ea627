import type { Call, Expr } from './ast.ts'
import {
  accumulate,
  accumulator,
  boolLiteral,
  comprehension,
  type Expansion,
  intLiteral,
  listOf,
  operator,
  variableName,
} from './macro-parts.ts'

/**
 * Expands the macros with two variables, such as `range.all(key, value, …)`: index and element of a list, key and value
 * of a map.
 */
export function expandTwoVariableMacro(call: Call, range: Expr): Expansion | undefined {
  const { args } = call
  const build = twoVariableMacros.get(`${call.name}/${args.length}`)
  if (build === undefined) return undefined
  const first = variableName(args[0], 'argument must be a simple name')
  if (typeof first !== 'string') return first
  const second = variableName(args[1], 'argument must be a simple name')
  if (typeof second !== 'string') return second
  if (first === second) {
    return { offset: args[1]?.offset ?? 0, error: `duplicate variable name: ${first}` }
  }
  const filter = args.length === 4 ? args[2] : undefined
  const body = args.at(-1) ?? call
  return { expr: build(call.offset, range, first, second, filter, body) }
}

type Build = (
  offset: number,
  range: Expr,
  first: string,
  second: string,
  filter: Expr | undefined,
  body: Expr,
) => Expr

const twoVariableMacros: ReadonlyMap<string, Build> = new Map([
  ['all/3', quantify('all')],
  ['exists/3', quantify('exists')],
  ['existsOne/3', quantify('one')],
  ['exists_one/3', quantify('one')],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
])

/** The body of all, exists and exists_one over one or two variables. */
function quantify(kind: 'all' | 'exists' | 'one'): Build {
  return (at, range, first, second, _filter, predicate) =>
    quantifier(kind, at, range, first, second, predicate)
}

export function quantifier(
  kind: 'all' | 'exists' | 'one',
  at: number,
  range: Expr,
  first: string,
  second: string | undefined,
  predicate: Expr,
): Expr {
  const accu = () => accumulator(at)
  if (kind === 'one') {
    const next = operator(at, '_+_', accu(), intLiteral(at, 1n))
    return comprehension(at, range, first, second, {
      init: intLiteral(at, 0n),
      condition: boolLiteral(at, true),
      step: operator(at, '_?_:_', predicate, next, accu()),
      result: operator(at, '_==_', accu(), intLiteral(at, 1n)),
    })
  }
  const goOn = kind === 'all' ? accu() : operator(at, '!_', accu())
  return comprehension(at, range, first, second, {
    init: boolLiteral(at, kind === 'all'),
    condition: operator(at, '@not_strictly_false', goOn),
    step: operator(at, kind === 'all' ? '_&&_' : '_||_', accu(), predicate),
    result: accu(),
  })
}

function transformList(
  at: number,
  range: Expr,
  first: string,
  second: string,
  filter: Expr | undefined,
  body: Expr,
): Expr {
  const step = operator(at, '_+_', accumulator(at), listOf(at, body))
  return comprehension(at, range, first, second, {
    init: listOf(at),
    condition: boolLiteral(at, true),
    step: accumulate(at, filter, step),
    result: accumulator(at),
  })
}

function transformMap(
  at: number,
  range: Expr,
  first: string,
  second: string,
  filter: Expr | undefined,
  body: Expr,
): Expr {
  const key: Expr = { kind: 'ident', offset: at, name: first }
  const step = operator(at, mapInsertFunction, accumulator(at), key, body)
  return mapComprehension(at, range, first, second, accumulate(at, filter, step))
}

function transformMapEntry(
  at: number,
  range: Expr,
  first: string,
  second: string,
  filter: Expr | undefined,
  body: Expr,
): Expr {
  const step = operator(at, mapInsertFunction, accumulator(at), body)
  return mapComprehension(at, range, first, second, accumulate(at, filter, step))
}

function mapComprehension(
  at: number,
  range: Expr,
  first: string,
  second: string,
  step: Expr,
): Expr {
  return comprehension(at, range, first, second, {
    init: { kind: 'map', offset: at, entries: [] },
    condition: boolLiteral(at, true),
    step,
    result: accumulator(at),
  })
}

const mapInsertFunction = 'cel.@mapInsert'
