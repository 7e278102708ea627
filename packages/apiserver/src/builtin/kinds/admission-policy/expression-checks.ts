import { createPolicyCompiler, type FieldError, type PolicyExpressionError } from '@agents/crd'
import { invalidValue } from '../../../status/field-errors.ts'

/** The use of an expression determines its variables and its type. */
type ExpressionUse =
  | 'matchCondition'
  | 'validation'
  | 'message'
  | 'auditAnnotation'
  | 'applyConfiguration'
  | 'jsonPatch'

/**
 * Compiles the expressions of a policy in the order of its fields, so that expressions see the variables before them.
 */
export interface ExpressionChecks {
  /** Returns the message of the CEL compiler if the expression does not compile. */
  check(use: ExpressionUse, expression: string): PolicyExpressionError | undefined
  variable(name: string, expression: string): PolicyExpressionError | undefined
}

interface ExpressionOptions {
  /** Whether the policy has a `paramKind`. */
  readonly hasParams: boolean
  /** Whether expressions may use `variables`. */
  readonly hasVariables: boolean
}

export type CreateExpressionChecks = (options: ExpressionOptions) => ExpressionChecks

const results = {
  matchCondition: 'bool',
  validation: 'bool',
  message: 'string',
  auditAnnotation: 'stringOrNull',
  applyConfiguration: 'applyConfiguration',
  jsonPatch: 'jsonPatch',
} as const

/** Match conditions are checked without the variables of the policy, although they can use them at run time. */
export function expressionChecks(options: ExpressionOptions): ExpressionChecks {
  const { hasParams, hasVariables } = options
  const compiler = createPolicyCompiler({ variables: hasVariables })
  const alone = createPolicyCompiler({ variables: false })
  return {
    check: (use, expression) =>
      (use === 'matchCondition' ? alone : compiler).compile(expression, results[use], {
        params: hasParams,
        authorizer: use !== 'message',
      }).error,
    variable: (name, expression) =>
      compiler.addVariable(name, expression, { params: hasParams, authorizer: true }),
  }
}

export function expressionErrors(
  problem: PolicyExpressionError | undefined,
  field: string,
  expression: string,
): FieldError[] {
  if (problem === undefined) return []
  const { kind, detail } = problem
  if (kind === 'invalid') return [invalidValue(field, expression, detail)]
  return [{ reason: 'InternalError', field, message: `Internal error: ${detail}` }]
}

/** Reports whether a name is valid for a variable: a CEL identifier that is not reserved. */
export function isIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name)
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)
