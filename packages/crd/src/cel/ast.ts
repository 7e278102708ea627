/** The offset is in code points from the start of the expression; nodes made by a macro carry the offset of its call. */
interface Node {
  readonly offset: number
}

export interface Literal extends Node {
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
  /** `has(operand.field)` rather than `operand.field`. */
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

export interface CreateMessage extends Node {
  readonly kind: 'message'
  readonly name: string
}

/**
 * What every macro over a range becomes: for each element, while `condition`, `accumulator = step`; then `result`.
 * `iterVar2` is there in the two-variable forms only.
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

/** Cannot be written in an expression, so no variable of the author can collide with it. */
export const ACCUMULATOR = '@result'

/** The direct children, in the order in which they are written. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
    case 'message':
      return []
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
