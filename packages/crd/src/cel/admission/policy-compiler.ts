import type { JsonObject } from '../../schema/json-value.ts'
import type { Environment } from '../library/environment.ts'
import { checkExpression, type Program, planExpression } from '../program/compile-expression.ts'
import {
  boolType,
  dynType,
  listType,
  nullType,
  sameType,
  stringType,
  type Type,
  typeText,
} from '../type/type.ts'
import type { JsonPatchOperation } from './mutation-result.ts'
import { jsonPatchType, objectType } from './patch-messages.ts'
import { declarableType, policyEnvironment, withPatches } from './policy-environment.ts'

/** The variables of an expression in addition to `object`, `oldObject`, `request` and `namespaceObject`. */
export interface PolicyDeclarations {
  /** Whether `params` is declared: if the policy has a `paramKind`. */
  readonly params: boolean
  /** Whether `authorizer` and `authorizer.requestResource` are declared: everywhere except in message expressions. */
  readonly authorizer: boolean
}

/** The required result type of an expression, with the type of the result for the caller. */
export interface PolicyResults {
  /** Validations and match conditions. */
  bool: boolean
  /** Message expressions. */
  string: string
  /** Values of audit annotations. */
  stringOrNull: string | null
  /** Mutations with `patchType: ApplyConfiguration`: the object to apply, without `apiVersion` and `kind`. */
  applyConfiguration: JsonObject
  /** Mutations with `patchType: JSONPatch`. */
  jsonPatch: readonly JsonPatchOperation[]
}

export type PolicyResultKind = keyof PolicyResults

/** The compile error of an expression, worded as in kube-apiserver's field error. */
export interface PolicyExpressionError {
  /** `invalid` is reported as `Invalid value`, `internal` as `Internal error`. */
  readonly kind: 'invalid' | 'internal'
  readonly detail: string
}

/** A compiled expression. It can be evaluated only if `error` is undefined. */
export interface PolicyExpression<Kind extends PolicyResultKind = PolicyResultKind> {
  readonly source: string
  readonly result: Kind
  readonly error: PolicyExpressionError | undefined
  readonly program: Program | undefined
}

/** A compiled variable of a policy. */
interface PolicyVariable {
  readonly name: string
  readonly error: PolicyExpressionError | undefined
  readonly program: Program | undefined
}

/**
 * Compiles the expressions of one ValidatingAdmissionPolicy or MutatingAdmissionPolicy, as kube-apiserver 1.36 does.
 * Variables are added first, in policy order: an expression can use those added before it.
 *
 *     const compiler = createPolicyCompiler()
 *     for (const { name, expression } of spec.variables) compiler.addVariable(name, expression, declarations)
 *     const validation = compiler.compile('object.spec.replicas <= variables.limit', 'bool', declarations)
 *     if (validation.error !== undefined) …
 *
 * `startPolicyEvaluation` evaluates the compiled expressions.
 */
export interface PolicyCompiler {
  /** The variables in policy order. A variable that does not compile has the type dyn and fails when it is used. */
  readonly variables: readonly PolicyVariable[]
  addVariable(
    name: string,
    expression: string,
    declarations: PolicyDeclarations,
  ): PolicyExpressionError | undefined
  compile<Kind extends PolicyResultKind>(
    expression: string,
    result: Kind,
    declarations: PolicyDeclarations,
  ): PolicyExpression<Kind>
}

/** The names of the variables, in slot order. */
export const policyVariables: readonly string[] = [
  'object',
  'oldObject',
  'request',
  'namespaceObject',
  'params',
  'authorizer',
  'authorizer.requestResource',
  'variables',
]

/**
 * Creates a compiler. With `variables: false`, expressions cannot refer to variables at all. kube-apiserver does this
 * for match conditions when a policy is written, and for the other expressions of a ValidatingAdmissionPolicy that
 * declares no variables.
 */
export function createPolicyCompiler(options: { variables?: boolean } = {}): PolicyCompiler {
  const composed = options.variables ?? true
  const variables: PolicyVariable[] = []
  const variableTypes = new Map<string, Type>()
  const environmentFor = ({ params, authorizer }: PolicyDeclarations): Environment =>
    policyEnvironment({
      object: dynType,
      params: params ? dynType : undefined,
      authorizer: authorizer ? 'whole' : 'none',
      variables: composed ? variableTypes : undefined,
    })
  return {
    variables,
    addVariable: (name, expression, declarations) => {
      const compiled = compile(expression, undefined, environmentFor(declarations))
      variableTypes.set(name, declarableType(compiled.program?.type))
      const variable = { name, error: compiled.error, program: compiled.program }
      const known = variables.findIndex((other) => other.name === name)
      if (known < 0) variables.push(variable)
      else variables[known] = variable
      return compiled.error
    },
    compile: (expression, result, declarations) => {
      const environment = environmentFor(declarations)
      const mutates = result === 'applyConfiguration' || result === 'jsonPatch'
      const compiled = compile(
        expression,
        resultTypes[result],
        mutates ? withPatches(environment) : environment,
      )
      return { source: expression, result, ...compiled }
    },
  }
}

const resultTypes: Readonly<Record<PolicyResultKind, readonly Type[]>> = {
  bool: [boolType],
  string: [stringType],
  stringOrNull: [stringType, nullType],
  applyConfiguration: [objectType],
  jsonPatch: [listType(jsonPatchType)],
}

function compile(
  source: string,
  types: readonly Type[] | undefined,
  environment: Environment,
): { readonly program: Program | undefined; readonly error: PolicyExpressionError | undefined } {
  const checking = checkExpression(source, environment)
  if ('error' in checking) {
    return failed('invalid', `compilation failed: ${checking.error}`)
  }
  const { checked } = checking
  const type = checked.types.get(checked.expr) ?? dynType
  if (types !== undefined && !types.some((wanted) => sameType(wanted, type))) {
    return failed('invalid', wrongType(types, type))
  }
  const planning = planExpression(checked, policyVariables)
  if ('error' in planning) {
    return failed('internal', `program instantiation failed: ${planning.error}`)
  }
  return { program: planning.program, error: undefined }
}

function failed(
  kind: PolicyExpressionError['kind'],
  detail: string,
): { readonly program: undefined; readonly error: PolicyExpressionError } {
  return { program: undefined, error: { kind, detail } }
}

function wrongType(wanted: readonly Type[], actual: Type): string {
  const texts = wanted.map(typeText)
  const what = texts.length === 1 ? texts[0] : `one of [${texts.join(' ')}]`
  return `must evaluate to ${what} but got ${typeText(actual)}`
}
