import type { Schema } from '../../schema/schema.ts'
import type { Environment } from '../library/environment.ts'
import { checkExpression } from '../program/compile-expression.ts'
import { type SchemaType, schemaType, structFields } from '../type/schema-type.ts'
import { dynType, type Type } from '../type/type.ts'
import type { GroupVersionKind } from './admission-input.ts'
import { declarableType, policyEnvironment } from './policy-environment.ts'

/** A kind that a policy matches, with its schema as published by the API server, including `metadata`. */
export interface MatchedKind extends GroupVersionKind {
  readonly schema: Schema
}

/** The parts of a ValidatingAdmissionPolicy whose types are checked. */
export interface CheckedPolicy {
  readonly variables: readonly { readonly name: string; readonly expression: string }[]
  readonly validations: readonly {
    readonly expression: string
    readonly messageExpression?: string
  }[]
  /** Present if the policy has a `paramKind`; without a schema if that kind is not known. */
  readonly params?: { readonly kind: string; readonly schema?: Schema }
}

/** An entry of `status.typeChecking.expressionWarnings`. */
export interface ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

/** The maximum number of kinds that are checked for one rule of `matchConstraints`. */
export const maxTypeCheckedKinds = 10

/**
 * Checks the expressions of a policy against the schemas of the kinds that it matches. A policy also works without
 * schemas, so the results are warnings. `kinds` are ordered by group, version and kind; kinds without a schema are
 * omitted.
 *
 *     const warnings = checkPolicyTypes(spec, kinds)
 *     status.typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings }
 */
export function checkPolicyTypes(
  policy: CheckedPolicy,
  kinds: readonly MatchedKind[],
): ExpressionWarning[] {
  const params = policy.params?.schema
  const paramsType =
    policy.params === undefined || params === undefined
      ? undefined
      : schemaType(params, true, `${policy.params.kind}1`)
  const environments = kinds.map((kind) => ({
    kind,
    environment: typedEnvironment(policy, kind, paramsType),
  }))
  const warnings: ExpressionWarning[] = []
  const check = (fieldRef: string, expression: string): void => {
    const found = environments.flatMap(({ kind, environment }) => {
      const checking = checkExpression(expression, environment)
      return 'error' in checking ? [`${kindText(kind)}: ${checking.error}\n`] : []
    })
    if (found.length > 0) warnings.push({ fieldRef, warning: found.join('\n') })
  }
  for (const [index, { expression, messageExpression }] of policy.validations.entries()) {
    check(`spec.validations[${index}].expression`, expression)
    if (messageExpression) check(`spec.validations[${index}].messageExpression`, messageExpression)
  }
  return warnings
}

/**
 * The environment of a type check. As in upstream, it does not declare `authorizer.requestResource`, so that its use
 * causes a warning.
 */
function typedEnvironment(
  policy: CheckedPolicy,
  kind: MatchedKind,
  params: SchemaType | undefined,
): Environment {
  const object = schemaType(kind.schema, true, `${kind.kind}0`)
  const variableTypes = new Map<string, Type>()
  const fields = new Map([
    ...(params === undefined ? [] : structFields(params)),
    ...(object === undefined ? [] : structFields(object)),
  ])
  const environment = policyEnvironment({
    object: object?.type ?? dynType,
    params: policy.params === undefined ? undefined : (params?.type ?? dynType),
    authorizer: 'without-request-resource',
    variables: variableTypes,
    fields,
  })
  for (const { name, expression } of policy.variables) {
    const checking = checkExpression(expression, environment)
    const type = 'error' in checking ? undefined : checking.checked.types.get(checking.checked.expr)
    variableTypes.set(name, declarableType(type))
  }
  return environment
}

function kindText({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`
}
