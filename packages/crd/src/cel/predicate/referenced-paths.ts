import { type Comprehension, childrenOf, type Expr } from '../syntax/ast.ts'

/** The longest constant paths that an expression selects from its variables, in source order. */
export function referencedPaths(expr: Expr): readonly (readonly string[])[] {
  const paths: (readonly string[])[] = []
  collect(expr, new Set(), paths)
  return paths
}

function collect(expr: Expr, bound: ReadonlySet<string>, paths: (readonly string[])[]): void {
  const path = pathOf(expr)
  if (path !== undefined) {
    if (!bound.has(path[0] ?? '')) paths.push(path)
    return
  }
  if (expr.kind === 'comprehension') collectComprehension(expr, bound, paths)
  else for (const child of childrenOf(expr)) collect(child, bound, paths)
}

function collectComprehension(
  { range, init, condition, step, result, ...names }: Comprehension,
  bound: ReadonlySet<string>,
  paths: (readonly string[])[],
): void {
  collect(range, bound, paths)
  collect(init, bound, paths)
  const inner = new Set([...bound, names.iterVar, names.iterVar2 ?? '', names.accumulator])
  for (const part of [condition, step, result]) collect(part, inner, paths)
}

const selections = ['_[_]', '_[?_]', '_?._']

function pathOf(expr: Expr): readonly string[] | undefined {
  if (expr.kind === 'ident') return [expr.name]
  if (expr.kind === 'select') return extended(expr.operand, expr.field)
  if (expr.kind !== 'call' || !selections.includes(expr.name)) return undefined
  const [operand, key] = expr.args
  if (operand === undefined || key?.kind !== 'literal' || key.value.type !== 'string') {
    return undefined
  }
  return extended(operand, key.value.value)
}

function extended(operand: Expr, name: string): readonly string[] | undefined {
  const path = pathOf(operand)
  return path && [...path, name]
}
