import { accumulatorName, type Call, type Expr } from './ast.ts'
import {
  accumulate,
  accumulator,
  boolLiteral,
  comprehension,
  type Expansion,
  listOf,
  operator,
  variableName,
} from './macro-parts.ts'
import { expandOptionalMacro } from './macros-optional.ts'
import { expandTwoVariableMacro, quantifier } from './macros-two-variable.ts'

/** Expands a macro; returns the call itself if it is not one. */
export function expandMacro(call: Call): Expansion {
  if (call.target === undefined) return call.name === 'has' ? expandHas(call) : { expr: call }
  const expand = oneVariableMacros.get(`${call.name}/${call.args.length}`)
  if (expand !== undefined) return expand(call, call.target, call.args)
  return (
    expandTwoVariableMacro(call, call.target) ??
    expandOptionalMacro(call, call.target) ?? {
      expr: call,
    }
  )
}

type Expand = (call: Call, target: Expr, args: readonly Expr[]) => Expansion

const oneVariableMacros: ReadonlyMap<string, Expand> = new Map([
  ['all/2', (call, target, args) => expandQuantifier(call, target, args, 'all')],
  ['exists/2', (call, target, args) => expandQuantifier(call, target, args, 'exists')],
  ['exists_one/2', (call, target, args) => expandQuantifier(call, target, args, 'one')],
  [
    'map/2',
    (call, target, [name, transform]) => expandMap(call, target, name, undefined, transform),
  ],
  [
    'map/3',
    (call, target, [name, filter, transform]) => expandMap(call, target, name, filter, transform),
  ],
  ['filter/2', (call, target, [name, filter]) => expandMap(call, target, name, filter, name)],
  ['sortBy/2', expandSortBy],
] satisfies [string, Expand][])

function expandHas(call: Call): Expansion {
  const [argument] = call.args
  if (argument === undefined || call.args.length !== 1) return { expr: call }
  if (argument.kind !== 'select' || argument.test) {
    return { offset: argument.offset, error: 'invalid argument to has() macro' }
  }
  return { expr: { ...argument, offset: call.offset, test: true } }
}

function expandQuantifier(
  call: Call,
  target: Expr,
  args: readonly Expr[],
  kind: 'all' | 'exists' | 'one',
): Expansion {
  const name = variableName(args[0], 'argument must be a simple name')
  if (typeof name !== 'string') return name
  const predicate = args[1] ?? call
  return { expr: quantifier(kind, call.offset, target, name, undefined, predicate) }
}

function expandMap(
  call: Call,
  target: Expr,
  variable: Expr | undefined,
  filter: Expr | undefined,
  transform: Expr | undefined,
): Expansion {
  const name = variableName(variable, 'argument is not an identifier')
  if (typeof name !== 'string') return name
  const at = call.offset
  const append = operator(at, '_+_', accumulator(at), listOf(at, transform ?? call))
  return {
    expr: comprehension(at, target, name, undefined, {
      init: listOf(at),
      condition: boolLiteral(at, true),
      step: accumulate(at, filter, append),
      result: accumulator(at),
    }),
  }
}

/**
 * Expands sortBy(). The list is bound to a variable, so that it is evaluated once, and sorted by the keys from map().
 */
function expandSortBy(call: Call, target: Expr, args: readonly Expr[]): Expansion {
  if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'message') {
    const error =
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression'
    return { offset: target.offset, error }
  }
  const input: Expr = { kind: 'ident', offset: call.offset, name: sortInputName }
  const keys = expandMap(call, { ...input }, args[0], undefined, args[1])
  if ('error' in keys) return keys
  return {
    expr: {
      kind: 'comprehension',
      offset: call.offset,
      range: listOf(call.offset),
      iterVar: '#unused',
      iterVar2: undefined,
      accumulator: sortInputName,
      init: target,
      condition: boolLiteral(call.offset, false),
      step: { ...input },
      result: {
        kind: 'call',
        offset: call.offset,
        name: '@sortByAssociatedKeys',
        target: { ...input },
        args: [keys.expr],
      },
    },
  }
}

const sortInputName = `${accumulatorName}-sort-input`
