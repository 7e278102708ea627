import { accumulatorName, type Expr } from './ast.ts'

export type Expansion =
  | { readonly expr: Expr }
  | { readonly offset: number; readonly error: string }

interface Loop {
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

export function comprehension(
  offset: number,
  range: Expr,
  iterVar: string,
  iterVar2: string | undefined,
  loop: Loop,
): Expr {
  return {
    kind: 'comprehension',
    offset,
    range,
    iterVar,
    iterVar2,
    accumulator: accumulatorName,
    ...loop,
  }
}

/** The name of an iteration variable, or the error if the argument is not a valid one. */
export function variableName(
  expr: Expr | undefined,
  error: string,
): string | { readonly offset: number; readonly error: string } {
  if (expr?.kind !== 'ident') return { offset: expr?.offset ?? 0, error }
  if (expr.name === accumulatorName || expr.name === '__result__') {
    return {
      offset: expr.offset,
      error: 'iteration variable overwrites accumulator variable',
    }
  }
  return expr.name
}

/** `step`, or `filter ? step : accumulator` if there is a filter. */
export function accumulate(offset: number, filter: Expr | undefined, step: Expr): Expr {
  if (filter === undefined) return step
  return operator(offset, '_?_:_', filter, step, accumulator(offset))
}

export function accumulator(offset: number): Expr {
  return { kind: 'ident', offset, name: accumulatorName }
}

export function operator(offset: number, name: string, ...args: Expr[]): Expr {
  return { kind: 'call', offset, name, target: undefined, args }
}

export function listOf(offset: number, ...elements: Expr[]): Expr {
  return { kind: 'list', offset, elements, optional: new Set() }
}

export function boolLiteral(offset: number, value: boolean): Expr {
  return { kind: 'literal', offset, value: { type: 'bool', value } }
}

export function intLiteral(offset: number, value: bigint): Expr {
  return { kind: 'literal', offset, value: { type: 'int', value } }
}
