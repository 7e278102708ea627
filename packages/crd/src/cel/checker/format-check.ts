import { clauseMismatch, parseFormat } from '../library/string/format-clause.ts'
import type { Call, Expr } from '../syntax/ast.ts'
import { addIssue, type IssueList } from '../syntax/issue.ts'
import { dynType, isDynamic, type Type, type TypeKind } from '../type/type.ts'
import type { Checked } from './checker.ts'

/** Checks `'…'.format([…])` with a literal text and a literal list: the number and the types of the arguments. */
export function checkFormatCall(call: Call, checked: Checked, issues: IssueList): void {
  const [list] = call.args
  if (call.target?.kind !== 'literal' || call.target.value.type !== 'string') return
  if (list?.kind !== 'list' || call.args.length !== 1) return
  let index = 0
  for (const part of parseFormat(call.target.value.value)) {
    if (part.kind === 'text') continue
    const argument = list.elements[index]
    if (argument === undefined) {
      addIssue(issues, call.offset, `index ${index} out of range`)
      return
    }
    index++
    if (part.kind === 'error') {
      addIssue(issues, call.offset, part.message)
      return
    }
    const wrong = findWrong(part.verb, argument, checked)
    if (wrong !== undefined) {
      const type = checked.types.get(wrong) ?? dynType
      addIssue(issues, wrong.offset, clauseMismatch(part.verb, type.name))
      return
    }
  }
  if (list.elements.length > index) {
    const counts = `expected ${index}, got ${list.elements.length}`
    addIssue(issues, call.offset, `too many arguments supplied to string.format (${counts})`)
  }
}

const acceptedKinds: Readonly<Record<string, readonly TypeKind[]>> = {
  s: [
    'list',
    'map',
    'int',
    'uint',
    'double',
    'bool',
    'string',
    'timestamp',
    'bytes',
    'duration',
    'type',
    'null',
  ],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
}

/** The argument that the clause cannot print, or the part of a literal list or map in it. */
function findWrong(verb: string, expr: Expr, checked: Checked): Expr | undefined {
  const type: Type = checked.types.get(expr) ?? dynType
  if (!isDynamic(type) && !acceptedKinds[verb]?.includes(type.kind)) return expr
  if (verb !== 's') return undefined
  const parts =
    expr.kind === 'list'
      ? expr.elements
      : expr.kind === 'map'
        ? expr.entries.flatMap(({ key, value }) => [key, value])
        : []
  for (const part of parts) {
    const wrong = findWrong(verb, part, checked)
    if (wrong !== undefined) return wrong
  }
  return undefined
}
