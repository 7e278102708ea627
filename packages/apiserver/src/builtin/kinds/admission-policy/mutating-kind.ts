import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../../json/json-value.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../../status/field-errors.ts'
import { type Fields, part, parts, text } from '../../fields.ts'
import type { KindRules } from '../../strategy/kind-rules.ts'
import {
  type CreateExpressionChecks,
  type ExpressionChecks,
  expressionErrors,
} from './expression-checks.ts'
import { constraintErrors, mutatingOperationErrors } from './match-errors.ts'
import { headErrors, matchConditionErrors, variableErrors } from './policy-errors.ts'
import { reservedNameWarnings } from './reserved-names.ts'

const reinvocationPolicies = ['IfNeeded', 'Never']
const patchTypes = ['ApplyConfiguration', 'JSONPatch']

export function mutatingPolicyRules(createChecks: CreateExpressionChecks): KindRules {
  return {
    generation: true,
    requiresVersion: true,
    checksEnums: true,
    validate(policy) {
      const spec = part(policy, 'spec')
      const hasParams = isJsonObject(spec.paramKind)
      const checks = createChecks({ hasParams, hasVariables: true })
      return [
        ...headErrors(spec),
        ...constraintErrors(spec),
        ...mutatingOperationErrors(part(spec, 'matchConstraints'), 'spec.matchConstraints'),
        ...matchConditionErrors(spec, checks),
        ...variableErrors(spec, checks),
        ...mutationsErrors(spec, checks),
        ...reinvocationErrors(spec),
      ]
    },
    warnings: reservedNameWarnings,
  }
}

function mutationsErrors(spec: Fields, checks: ExpressionChecks): FieldError[] {
  const mutations = parts(spec, 'mutations')
  if (mutations.length === 0) {
    return [requiredValue('spec.mutations', 'mutations must contain at least one item')]
  }
  return mutations.flatMap((mutation, index) =>
    mutationErrors(mutation, `spec.mutations[${index}]`, checks),
  )
}

function mutationErrors(mutation: Fields, at: string, checks: ExpressionChecks): FieldError[] {
  const type = text(mutation, 'patchType')
  if (type === '') return [requiredValue(`${at}.patchType`, '')]
  if (!patchTypes.includes(type)) return [unsupportedValue(`${at}.patchType`, type, patchTypes)]
  const [used, other] =
    type === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const)
  const errors: FieldError[] = []
  if (!isJsonObject(mutation[used])) {
    errors.push(requiredValue(`${at}.${used}`, `must be specified when patchType is ${type}`))
  } else {
    const expression = text(part(mutation, used), 'expression').trim()
    const field = `${at}.${used}.expression`
    if (expression === '') errors.push(requiredValue(field, ''))
    else errors.push(...expressionErrors(checks.check(used, expression), field, expression))
  }
  if (isJsonObject(mutation[other])) {
    const why = `must not be specified when patchType is ${type}`
    errors.push(invalidValue(`${at}.${other}`, `{${other}}`, why))
  }
  return errors
}

function reinvocationErrors(spec: Fields): FieldError[] {
  const field = 'spec.reinvocationPolicy'
  const policy = text(spec, 'reinvocationPolicy')
  if (policy === '') return [requiredValue(field, '')]
  return reinvocationPolicies.includes(policy)
    ? []
    : [unsupportedValue(field, policy, reinvocationPolicies)]
}
