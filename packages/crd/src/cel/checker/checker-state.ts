import type { Overload } from '../declaration/declaration.ts'
import type { Environment, MessageType } from '../library/environment.ts'
import type { Expr } from '../syntax/ast.ts'
import { addIssue, type IssueList } from '../syntax/issue.ts'
import {
  errorType,
  formatType,
  isDynamic,
  optionalType,
  type Type,
  typeParam,
  unwrapOptional,
} from '../type/type.ts'
import { type Substitutions, unify } from '../type/unify.ts'

/** The state of the checker. */
export interface Checker {
  readonly environment: Environment
  readonly issues: IssueList
  readonly types: Map<Expr, Type>
  readonly overloads: Map<Expr, readonly Overload[]>
  readonly qualified: Map<Expr, string>
  readonly qualifiedVariables: Map<Expr, string>
  readonly typeNames: Map<Expr, string>
  readonly messages: Map<Expr, MessageType>
  readonly messageNames: Set<string>
  readonly variables: Set<string>
  substitutions: Substitutions
  nextVariable: number
}

/** The type of a node that is already checked. */
export function typeOf(checker: Checker, expr: Expr): Type {
  return checker.types.get(expr) ?? errorType
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

export function undeclared(checker: Checker, expr: Expr, name: string): Type {
  addIssue(checker.issues, expr.offset, `undeclared reference to '${name}' (in container '')`)
  return errorType
}

/** The type of an element written `?x`, which must be optional. */
export function unwrapEntry(checker: Checker, expr: Expr, type: Type): Type {
  const inner = unwrapOptional(type)
  if (inner === undefined && !isDynamic(type)) mismatch(checker, expr, optionalType(type), type)
  return inner ?? type
}
