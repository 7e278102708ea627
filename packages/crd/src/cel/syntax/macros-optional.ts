import type { Call, Expr } from './ast.ts'
import { boolLiteral, type Expansion, listOf, operator } from './macro-parts.ts'

/** Expands `optional.optMap(v, expr)` and `optional.optFlatMap(v, expr)`, which use the value if there is one. */
export function expandOptionalMacro(call: Call, target: Expr): Expansion | undefined {
  if (call.args.length !== 2) return undefined
  if (call.name !== 'optMap' && call.name !== 'optFlatMap') return undefined
  const [variable, body] = call.args
  if (variable?.kind !== 'ident' || body === undefined) {
    return {
      offset: variable?.offset ?? 0,
      error: `${call.name}() variable name must be a simple identifier`,
    }
  }
  const at = call.offset
  const bound: Expr = {
    kind: 'comprehension',
    offset: at,
    range: listOf(at),
    iterVar: '#unused',
    iterVar2: undefined,
    accumulator: variable.name,
    init: { kind: 'call', offset: at, name: 'value', target, args: [] },
    condition: boolLiteral(at, false),
    step: { kind: 'ident', offset: at, name: variable.name },
    result: body,
  }
  const hasValue: Expr = { kind: 'call', offset: at, name: 'hasValue', target, args: [] }
  const some = call.name === 'optMap' ? operator(at, 'optional.of', bound) : bound
  return { expr: operator(at, '_?_:_', hasValue, some, operator(at, 'optional.none')) }
}
