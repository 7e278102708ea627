import type { Overload } from '../declaration/declaration.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { addIssue } from '../syntax/issue.ts'
import {
  boolType,
  dynType,
  errorType,
  formatType,
  isDynamic,
  sameType,
  type Type,
} from '../type/type.ts'
import { substitute, unifyAll } from '../type/unify.ts'
import { type Checker, freshVariable, isAssignable, mismatch, typeOf } from './checker-state.ts'

/** Finds the overloads that match the types of the arguments. The result type is dyn if they disagree. */
export function resolveOverloads(
  checker: Checker,
  call: Call,
  name: string,
  overloads: readonly Overload[],
  target: Expr | undefined,
): Type {
  if (name === '_&&_' || name === '_||_') return resolveLogic(checker, call, overloads)
  const args = target === undefined ? call.args : [target, ...call.args]
  const types = args.map((arg) => typeOf(checker, arg))
  const fitting: Overload[] = []
  let result: Type | undefined
  for (const overload of overloads) {
    if (overload.method !== (target !== undefined)) continue
    const signature = instantiate(checker, overload)
    const substitutions = unifyAll(checker.substitutions, types, signature.params)
    if (substitutions === undefined) continue
    checker.substitutions = substitutions
    fitting.push(overload)
    const type = substitute(substitutions, signature.result, 'keep')
    if (result === undefined) result = type
    else if (!isDynamic(result) && !sameType(result, type)) result = dynType
  }
  if (result === undefined) {
    reportMismatch(checker, call, name, types, target !== undefined)
    return errorType
  }
  checker.overloads.set(call, fitting)
  return result
}

/** Reports each operand of `&&` and `||` separately. */
function resolveLogic(checker: Checker, call: Call, overloads: readonly Overload[]): Type {
  let fits = true
  for (const arg of call.args) {
    const type = typeOf(checker, arg)
    if (isAssignable(checker, type, boolType)) continue
    mismatch(checker, arg, boolType, type)
    fits = false
  }
  if (!fits) return errorType
  checker.overloads.set(call, overloads)
  return boolType
}

/** Renames the type parameters of an overload to unique names. */
function instantiate(
  checker: Checker,
  overload: Overload,
): { params: readonly Type[]; result: Type } {
  const fresh = new Map<string, Type>()
  const visit = (type: Type): Type => {
    if (type.kind === 'param') {
      const known = fresh.get(type.name) ?? freshVariable(checker)
      fresh.set(type.name, known)
      return known
    }
    return type.params.length === 0 ? type : { ...type, params: type.params.map(visit) }
  }
  return { params: overload.params.map(visit), result: visit(overload.result) }
}

function reportMismatch(
  checker: Checker,
  call: Call,
  name: string,
  types: readonly Type[],
  method: boolean,
): void {
  const texts = types.map((type) => formatType(substitute(checker.substitutions, type, 'dyn')))
  const receiver = method ? `${texts.shift()}.` : ''
  const signature = `${receiver}(${texts.join(', ')})`
  const message = `found no matching overload for '${name}' applied to '${signature}'`
  addIssue(checker.issues, call.offset, message)
}
