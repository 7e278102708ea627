import type { MessageType } from '../library/environment.ts'
import type { CreateMessage, Expr } from '../syntax/ast.ts'
import { addIssue } from '../syntax/issue.ts'
import { errorType, formatType, type Type } from '../type/type.ts'
import { type Checker, isAssignable, undeclared, unwrapEntry } from './checker-state.ts'

/** Checks `name{field: value}`: the type must be constructible and have the fields. */
export function checkMessage(
  checker: Checker,
  expr: CreateMessage,
  checkValue: (value: Expr) => Type,
): Type {
  const name = expr.name.replace(/^\./, '')
  const message = checker.environment.messages?.(name)
  if (message === undefined) return notMessage(checker, expr, name)
  checker.messages.set(expr, message)
  for (const field of expr.fields) {
    let actual = checkValue(field.value)
    const expected = messageField(checker, field, message, field.name)
    if (field.optional) actual = unwrapEntry(checker, field.value, actual)
    if (isAssignable(checker, expected, actual)) continue
    const issue = `expected type of field '${field.name}' is '${formatType(expected)}' but provided type is '${formatType(actual)}'`
    addIssue(checker.issues, field.offset, issue)
  }
  return message.type
}

export function messageField(
  checker: Checker,
  at: { readonly offset: number },
  message: MessageType,
  name: string,
): Type {
  const type = message.fieldType(name)
  if (type !== undefined) return type
  addIssue(checker.issues, at.offset, `undefined field '${name}'`)
  return errorType
}

function notMessage(checker: Checker, expr: CreateMessage, name: string): Type {
  const variable = checker.environment.variables.get(name)
  const named = checker.environment.typeNames.get(name)
  if (variable === undefined && named === undefined) return undeclared(checker, expr, expr.name)
  const issue =
    variable === undefined
      ? `'${named?.name}' is not a message type`
      : `'${variable.name}' is not a type`
  addIssue(checker.issues, expr.offset, issue)
  return errorType
}
