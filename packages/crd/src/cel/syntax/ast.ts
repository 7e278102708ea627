/**
 * A node of an expression. The offset is in code points from the start; nodes of an expanded macro have that of its
 * call.
 */
interface Node {
  readonly offset: number
}

interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: LiteralValue
}

export type LiteralValue =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }

export interface Ident extends Node {
  readonly kind: 'ident'
  readonly name: string
}

export interface Select extends Node {
  readonly kind: 'select'
  readonly operand: Expr
  readonly field: string
  /** Whether this is `has(operand.field)` and not `operand.field`. */
  readonly test: boolean
}

/** Operators are calls too: `_+_`, `_[_]`, `_?_:_`. `_&&_` and `_||_` take any number of arguments. */
export interface Call extends Node {
  readonly kind: 'call'
  readonly name: string
  readonly target: Expr | undefined
  readonly args: readonly Expr[]
}

export interface CreateList extends Node {
  readonly kind: 'list'
  readonly elements: readonly Expr[]
  /** Indices of the elements written `?x`. */
  readonly optional: ReadonlySet<number>
}

export interface CreateMap extends Node {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}

export interface MapEntry {
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

/** `name{field: value}`; the offset is that of the brace. */
export interface CreateMessage extends Node {
  readonly kind: 'message'
  readonly name: string
  readonly fields: readonly MessageField[]
}

/** The offset is that of the colon. */
export interface MessageField extends Node {
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

/**
 * The expansion of every macro over a range: for each element, while `condition`, `accumulator = step`; then `result`.
 * Only the two-variable forms have `iterVar2`.
 */
export interface Comprehension extends Node {
  readonly kind: 'comprehension'
  readonly range: Expr
  readonly iterVar: string
  readonly iterVar2: string | undefined
  readonly accumulator: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

export type Expr =
  | Literal
  | Ident
  | Select
  | Call
  | CreateList
  | CreateMap
  | CreateMessage
  | Comprehension

/** The name of the accumulator. It is not valid in an expression, so that it cannot collide with a variable. */
export const accumulatorName = '@result'

/** The direct children of a node, in source order. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return []
    case 'message':
      return expr.fields.map((field) => field.value)
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value])
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
  }
}
