import type { Overload } from '../declaration/declaration.ts'
import type { Environment, MessageType } from '../library/environment.ts'
import type {
  Call,
  Comprehension,
  CreateList,
  CreateMap,
  Expr,
  Ident,
  Select,
} from '../syntax/ast.ts'
import { addIssue, type IssueList } from '../syntax/issue.ts'
import { isReservedWord } from '../type/property-name.ts'
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  type Type,
  typeType,
  uintType,
  unwrapOptional,
} from '../type/type.ts'
import { mostGeneral, substitute } from '../type/unify.ts'
import { checkMessage, messageField } from './check-message.ts'
import {
  type Checker,
  freshVariable,
  isAssignable,
  mismatch,
  typeOf,
  undeclared,
  unwrapEntry,
} from './checker-state.ts'
import { resolveOverloads } from './overload-resolution.ts'

/** The result of the checker for the nodes of an expression. */
export interface Checked {
  readonly expr: Expr
  readonly types: ReadonlyMap<Expr, Type>
  /** The candidate overloads of a call; more than one only if an argument is dynamic. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>
  /** Calls `a.b(…)` of the function `a.b`, which have no receiver. */
  readonly qualified: ReadonlyMap<Expr, string>
  /** Selections `a.b` that refer to the variable `a.b`. */
  readonly qualifiedVariables: ReadonlyMap<Expr, string>
  /** Names that refer to a type, such as `int` in `type(x) == int`. */
  readonly typeNames: ReadonlyMap<Expr, string>
  /** The message types of `name{…}`. */
  readonly messages: ReadonlyMap<Expr, MessageType>
  /** The names in `typeNames` that are message types. */
  readonly messageNames: ReadonlySet<string>
  /** All variables that the expression refers to. */
  readonly variables: ReadonlySet<string>
}

/** Checks an expression and determines the type of every node. The result is valid only if no issues were added. */
export function check(expr: Expr, environment: Environment, issues: IssueList): Checked {
  const checker: Checker = {
    environment,
    issues,
    types: new Map(),
    overloads: new Map(),
    qualified: new Map(),
    qualifiedVariables: new Map(),
    typeNames: new Map(),
    messages: new Map(),
    messageNames: new Set(),
    variables: new Set(),
    substitutions: new Map(),
    nextVariable: 0,
  }
  checkExpr(checker, expr, undefined)
  for (const [node, type] of checker.types) {
    checker.types.set(node, substitute(checker.substitutions, type, 'dyn'))
  }
  return { expr, ...checker }
}

/** The variables of the comprehensions around an expression, innermost first. */
interface Scope {
  readonly name: string
  readonly type: Type
  readonly outer: Scope | undefined
}

function checkExpr(checker: Checker, expr: Expr, scope: Scope | undefined): Type {
  const type = typeExpr(checker, expr, scope)
  checker.types.set(expr, type)
  return type
}

function typeExpr(checker: Checker, expr: Expr, scope: Scope | undefined): Type {
  switch (expr.kind) {
    case 'literal':
      return literalTypes[expr.value.type]
    case 'ident':
      return checkIdent(checker, expr, scope)
    case 'select':
      return checkSelect(checker, expr, scope)
    case 'call':
      return checkCall(checker, expr, scope)
    case 'list':
      return checkList(checker, expr, scope)
    case 'map':
      return checkMap(checker, expr, scope)
    case 'message':
      return checkMessage(checker, expr, (value) => checkExpr(checker, value, scope))
    case 'comprehension':
      return checkComprehension(checker, expr, scope)
  }
}

const literalTypes = {
  null: nullType,
  bool: boolType,
  int: intType,
  uint: uintType,
  double: doubleType,
  string: stringType,
  bytes: bytesType,
}

function checkIdent(checker: Checker, expr: Ident, scope: Scope | undefined): Type {
  const name = expr.name.replace(/^\./, '')
  for (let at = scope; at !== undefined; at = at.outer) {
    if (at.name === name) {
      checker.variables.add(name)
      return at.type
    }
  }
  return lookUp(checker, expr, name) ?? undeclared(checker, expr, expr.name)
}

function lookUp(checker: Checker, expr: Expr, name: string): Type | undefined {
  const variable = checker.environment.variables.get(name)
  if (variable !== undefined) {
    checker.variables.add(name)
    return variable
  }
  const message = checker.environment.messages?.(name)?.type
  if (message !== undefined) checker.messageNames.add(name)
  const named = message ?? checker.environment.typeNames.get(name)
  if (named === undefined) return undefined
  checker.typeNames.set(expr, named.name)
  return typeType(named)
}

function checkSelect(checker: Checker, expr: Select, scope: Scope | undefined): Type {
  const name = qualifiedName(expr)?.replace(/^\./, '')
  if (name !== undefined) {
    const found = lookUp(checker, expr, name)
    if (found !== undefined) {
      if (!checker.typeNames.has(expr)) checker.qualifiedVariables.set(expr, name)
      return found
    }
  }
  const type = checkField(checker, expr, expr.operand, expr.field, scope)
  return expr.test ? boolType : substitute(checker.substitutions, type, 'keep')
}

function checkField(
  checker: Checker,
  expr: Expr,
  operand: Expr,
  field: string,
  scope: Scope | undefined,
): Type {
  const operandType = substitute(checker.substitutions, checkExpr(checker, operand, scope), 'keep')
  const inner = unwrapOptional(operandType)
  const type = fieldType(checker, expr, inner ?? operandType, field)
  return inner === undefined ? type : optionalType(type)
}

function fieldType(checker: Checker, expr: Expr, target: Type, field: string): Type {
  switch (target.kind) {
    case 'map':
      return target.params[1] ?? dynType
    case 'struct': {
      const message = checker.environment.messages?.(target.name)
      if (message !== undefined) return messageField(checker, expr, message, field)
      const fields = checker.environment.fields.get(target.name)
      const type =
        fields?.get(field) ?? (isReservedWord(field) ? fields?.get(`__${field}__`) : undefined)
      if (type !== undefined) return type
      const issue =
        fields !== undefined
          ? `undefined field '${field}'`
          : `unexpected failed resolution of '${target.name}'`
      addIssue(checker.issues, expr.offset, issue)
      return errorType
    }
    case 'param':
      isAssignable(checker, dynType, target)
      return dynType
    case 'dyn':
    case 'error':
      return dynType
    default: {
      const message = `type '${formatType(target)}' does not support field selection`
      addIssue(checker.issues, expr.offset, message)
      return dynType
    }
  }
}

function checkCall(checker: Checker, expr: Call, scope: Scope | undefined): Type {
  if (expr.name === '_?._') return checkOptionalSelect(checker, expr, scope)
  for (const arg of expr.args) checkExpr(checker, arg, scope)
  const { functions } = checker.environment
  if (expr.target === undefined) {
    const name = expr.name.replace(/^\./, '')
    const overloads = functions.get(name)
    if (overloads === undefined) return undeclared(checker, expr, expr.name)
    return resolveOverloads(checker, expr, name, overloads, undefined)
  }
  const prefix = qualifiedName(expr.target)
  if (prefix !== undefined) {
    const name = `${prefix}.${expr.name}`
    const overloads = functions.get(name)
    if (overloads !== undefined) {
      checker.qualified.set(expr, name)
      return resolveOverloads(checker, expr, name, overloads, undefined)
    }
  }
  checkExpr(checker, expr.target, scope)
  const overloads = functions.get(expr.name)
  if (overloads === undefined) return undeclared(checker, expr, expr.name)
  return resolveOverloads(checker, expr, expr.name, overloads, expr.target)
}

function checkOptionalSelect(checker: Checker, expr: Call, scope: Scope | undefined): Type {
  const [operand, field] = expr.args
  if (operand === undefined || field?.kind !== 'literal' || field.value.type !== 'string') {
    return errorType
  }
  checker.types.set(field, stringType)
  const type = checkField(checker, expr, operand, field.value.value, scope)
  const result = unwrapOptional(type) === undefined ? optionalType(type) : type
  return substitute(checker.substitutions, result, 'keep')
}

function checkList(checker: Checker, expr: CreateList, scope: Scope | undefined): Type {
  let joined: Type | undefined
  for (const [index, element] of expr.elements.entries()) {
    let type = checkExpr(checker, element, scope)
    if (expr.optional.has(index)) type = unwrapEntry(checker, element, type)
    joined = join(checker, joined, type)
  }
  return listType(joined ?? freshVariable(checker))
}

function checkMap(checker: Checker, expr: CreateMap, scope: Scope | undefined): Type {
  let keys: Type | undefined
  let values: Type | undefined
  for (const entry of expr.entries) {
    keys = join(checker, keys, checkExpr(checker, entry.key, scope))
    let type = checkExpr(checker, entry.value, scope)
    if (entry.optional) type = unwrapEntry(checker, entry.value, type)
    values = join(checker, values, type)
  }
  return mapType(keys ?? freshVariable(checker), values ?? freshVariable(checker))
}

/** Elements of different types make a dynamic list here; a later check rejects them where they are not allowed. */
function join(checker: Checker, previous: Type | undefined, current: Type): Type {
  if (previous === undefined) return current
  return isAssignable(checker, previous, current) ? mostGeneral(previous, current) : dynType
}

function checkComprehension(checker: Checker, expr: Comprehension, scope: Scope | undefined): Type {
  checkExpr(checker, expr.range, scope)
  const accumulatorType = checkExpr(checker, expr.init, scope)
  const rangeType = substitute(checker.substitutions, typeOf(checker, expr.range), 'keep')
  const outer: Scope = { name: expr.accumulator, type: accumulatorType, outer: scope }
  const inner = iterationScope(checker, expr, rangeType, outer)
  assertType(checker, expr.condition, checkExpr(checker, expr.condition, inner), boolType)
  assertType(checker, expr.step, checkExpr(checker, expr.step, inner), accumulatorType)
  const result = checkExpr(checker, expr.result, outer)
  return substitute(checker.substitutions, result, 'keep')
}

function iterationScope(checker: Checker, expr: Comprehension, range: Type, outer: Scope): Scope {
  let [first, second]: [Type, Type] = [dynType, dynType]
  switch (range.kind) {
    case 'list':
      second = range.params[0] ?? dynType
      first = expr.iterVar2 === undefined ? second : intType
      break
    case 'map':
      first = range.params[0] ?? dynType
      second = range.params[1] ?? dynType
      break
    case 'dyn':
    case 'error':
    case 'param':
      isAssignable(checker, dynType, range)
      break
    default: {
      const message = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
      addIssue(checker.issues, expr.range.offset, message)
      first = errorType
      second = errorType
    }
  }
  const scope: Scope = { name: expr.iterVar, type: first, outer }
  return expr.iterVar2 === undefined ? scope : { name: expr.iterVar2, type: second, outer: scope }
}

function assertType(checker: Checker, expr: Expr, actual: Type, expected: Type): void {
  if (!isAssignable(checker, expected, actual)) mismatch(checker, expr, expected, actual)
}

/** The qualified name of an expression that consists of names only, such as `a.b.c`. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.test) return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}
