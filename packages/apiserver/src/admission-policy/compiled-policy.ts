import {
  createPolicyCompiler,
  type PolicyCompiler,
  type PolicyDeclarations,
  type PolicyExpression,
} from '@agents/crd'
import type { CompiledMutation } from './mutation/mutate-object.ts'
import type {
  AuditAnnotation,
  MutatingPolicy,
  NamedExpression,
  PolicySpec,
  ValidatingPolicy,
  Validation,
} from './policy-objects.ts'

/**
 * The compiled expressions of a policy of either kind. An expression that does not compile fails when it is evaluated.
 */
export interface CompiledPolicy {
  readonly compiler: PolicyCompiler
  readonly hasParams: boolean
  readonly matchConditions: readonly PolicyExpression<'bool'>[]
}

export interface CompiledValidation {
  readonly source: Validation
  readonly condition: PolicyExpression<'bool'>
  readonly message: PolicyExpression<'string'> | undefined
}

interface CompiledAnnotation {
  readonly source: AuditAnnotation
  readonly value: PolicyExpression<'stringOrNull'>
}

export interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[]
  readonly auditAnnotations: readonly CompiledAnnotation[]
}

export function compileValidatingPolicy({ spec }: ValidatingPolicy): CompiledValidatingPolicy {
  const base = compilePolicy(spec)
  const { compiler } = base
  const declarations = declarationsOf(spec)
  return {
    ...base,
    validations: (spec.validations ?? []).map((source) => ({
      source,
      condition: compiler.compile(source.expression, 'bool', declarations),
      message: source.messageExpression
        ? compiler.compile(source.messageExpression, 'string', {
            ...declarations,
            authorizer: false,
          })
        : undefined,
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map((source) => ({
      source,
      value: compiler.compile(source.valueExpression, 'stringOrNull', declarations),
    })),
  }
}

export interface CompiledMutatingPolicy extends CompiledPolicy {
  readonly mutations: readonly CompiledMutation[]
}

export function compileMutatingPolicy({ spec }: MutatingPolicy): CompiledMutatingPolicy {
  const base = compilePolicy(spec)
  const declarations = declarationsOf(spec)
  return {
    ...base,
    mutations: (spec.mutations ?? []).map(({ patchType, jsonPatch, applyConfiguration }) =>
      patchType === 'JSONPatch'
        ? base.compiler.compile(jsonPatch?.expression ?? '', 'jsonPatch', declarations)
        : base.compiler.compile(
            applyConfiguration?.expression ?? '',
            'applyConfiguration',
            declarations,
          ),
    ),
  }
}

/** Compiles variables first, since the other expressions may use them. */
function compilePolicy(spec: PolicySpec): CompiledPolicy {
  const declarations = declarationsOf(spec)
  const compiler = createPolicyCompiler()
  for (const { name, expression } of spec.variables ?? []) {
    compiler.addVariable(name, expression, declarations)
  }
  const conditions: readonly NamedExpression[] = spec.matchConditions ?? []
  return {
    compiler,
    hasParams: spec.paramKind !== undefined,
    matchConditions: conditions.map(({ expression }) =>
      compiler.compile(expression, 'bool', declarations),
    ),
  }
}

function declarationsOf({ paramKind }: PolicySpec): PolicyDeclarations {
  return { params: paramKind !== undefined, authorizer: true }
}
