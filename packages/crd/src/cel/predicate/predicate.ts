import type { Json } from '../../schema/schema.ts'
import { dynamicValue } from '../admission/dynamic-value.ts'
import { kubernetesEnvironment } from '../library/environment.ts'
import { compileExpression, type Program } from '../program/compile-expression.ts'
import { dynType, mapType, stringType, structType, type Type, typeText } from '../type/type.ts'
import { CelError, typeNameOf } from '../value/value.ts'
import { referencedPaths } from './referenced-paths.ts'

/** The type of a variable: what an expression may select from it is checked when the expression is compiled. */
export type PredicateType =
  | 'string'
  | 'any'
  | { readonly mapOf: PredicateType }
  | { readonly fields: Readonly<Record<string, PredicateType>> }

export type PredicateVariables = Readonly<Record<string, PredicateType>>

interface Predicate {
  /**
   * The paths that the expression selects from variables by constant names, such as `steps.plan.outcome`, as far as
   * they are constant.
   */
  readonly paths: readonly (readonly string[])[]
  /** A variable without a value can be compiled but not evaluated. */
  evaluate(values: Readonly<Record<string, Json>>): PredicateOutcome
}

type PredicateOutcome =
  | { readonly ok: true; readonly value: boolean }
  | { readonly ok: false; readonly error: string }

type CompiledPredicate =
  | { readonly ok: true; readonly predicate: Predicate }
  | { readonly ok: false; readonly error: string }

/** In characters. Compiling takes time that depends on the length alone. */
const longestSource = 4096
/** A tenth of what Kubernetes allows for one expression of an admission policy. */
const costLimit = 100_000

/**
 * Compiles an expression of users that yields a boolean, with the functions that Kubernetes provides to every
 * expression. If its type is not known before it is evaluated, its value is checked then.
 */
export function compilePredicate(source: string, variables: PredicateVariables): CompiledPredicate {
  if (source.length > longestSource) {
    return { ok: false, error: `the expression has more than ${longestSource} characters` }
  }
  const fields = new Map<string, ReadonlyMap<string, Type>>()
  const names = Object.keys(variables)
  const types = new Map(
    Object.entries(variables).map(([name, type]) => [name, declare(type, name, fields)]),
  )
  const compilation = compileExpression(source, kubernetesEnvironment(types, fields), names)
  if ('error' in compilation) return { ok: false, error: compilation.error }
  const { program } = compilation
  if (program.type.kind !== 'bool' && program.type.kind !== 'dyn') {
    return { ok: false, error: wrongType(typeText(program.type)) }
  }
  const paths = referencedPaths(program.checked.expr)
  return { ok: true, predicate: { paths, evaluate: (values) => evaluate(program, names, values) } }
}

function evaluate(
  program: Program,
  names: readonly string[],
  values: Readonly<Record<string, Json>>,
): PredicateOutcome {
  const slots = names.map((name) => {
    const value = values[name]
    return value === undefined ? undefined : dynamicValue(value)
  })
  const { value } = program.evaluate(slots, costLimit)
  if (typeof value === 'boolean') return { ok: true, value }
  const error = value instanceof CelError ? value.message : wrongType(typeNameOf(value))
  return { ok: false, error }
}

function wrongType(actual: string): string {
  return `must evaluate to bool but got ${actual}`
}

/** The type, with the fields of the struct types in it, which are named after their path. */
function declare(
  type: PredicateType,
  path: string,
  fields: Map<string, ReadonlyMap<string, Type>>,
): Type {
  if (type === 'string') return stringType
  if (type === 'any') return dynType
  if ('mapOf' in type) return mapType(stringType, declare(type.mapOf, `${path}.value`, fields))
  const members = Object.entries(type.fields).map(
    ([name, member]) => [name, declare(member, `${path}.${name}`, fields)] as const,
  )
  fields.set(path, new Map(members))
  return structType(path)
}
