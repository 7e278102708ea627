import type { Expr } from './ast.ts'
import type { Overload } from './declaration.ts'
import type { Environment } from './environment.ts'
import { addIssue, type IssueList } from './issue.ts'
import { ERROR, formatType, type Type, typeParam } from './type.ts'
import { type Substitutions, unify } from './unify.ts'

/** What the checker knows so far. */
export interface Checker {
  readonly environment: Environment
  readonly issues: IssueList
  readonly types: Map<Expr, Type>
  readonly overloads: Map<Expr, readonly Overload[]>
  readonly qualified: Map<Expr, string>
  readonly typeNames: Map<Expr, string>
  readonly variables: Set<string>
  substitutions: Substitutions
  nextVariable: number
}

/** The type of a node that was checked before. */
export function typeOf(checker: Checker, expr: Expr): Type {
  return checker.types.get(expr) ?? ERROR
}

export function freshVariable(checker: Checker): Type {
  return typeParam(`_var${checker.nextVariable++}`)
}

export function isAssignable(checker: Checker, from: Type, to: Type): boolean {
  const substitutions = unify(checker.substitutions, from, to)
  if (substitutions !== undefined) checker.substitutions = substitutions
  return substitutions !== undefined
}

export function mismatch(checker: Checker, expr: Expr, expected: Type, actual: Type): void {
  const message = `expected type '${formatType(expected)}' but found '${formatType(actual)}'`
  addIssue(checker.issues, expr.offset, message)
}
