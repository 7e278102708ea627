import { type Admission, noAdmission } from '../../rest/admission.ts'
import { ApiError, forbidden } from '../../status/api-error.ts'
import { type CompiledValidatingPolicy, compileValidatingPolicy } from '../compiled-policy.ts'
import { isExcluded } from '../excluded-resources.ts'
import { createPolicyIndex, type PolicyIndex } from '../policy-index.ts'
import type { ValidatingBinding, ValidatingPolicy } from '../policy-objects.ts'
import { type PolicyRequest, policyRequest } from '../policy-request.ts'
import { policyAuthorizer } from './authorization.ts'
import { type Denial, evaluateValidations } from './evaluate-validations.ts'
import { invocationsOf } from './invocations.ts'
import type { PolicyDependencies } from './policy-dependencies.ts'
import { namespaceObject } from './policy-input.ts'
import { requestName } from './request-name.ts'

type Index = PolicyIndex<ValidatingPolicy, ValidatingBinding, CompiledValidatingPolicy>

/** Evaluates ValidatingAdmissionPolicies against every write. */
export function validatingAdmission(
  dependencies: PolicyDependencies,
): Admission & { stop(): void } {
  const index: Index = createPolicyIndex({
    store: dependencies.store,
    policies: 'validatingadmissionpolicies',
    bindings: 'validatingadmissionpolicybindings',
    compile: compileValidatingPolicy,
  })
  return {
    ...noAdmission,
    validate(attributes) {
      const { group, plural } = attributes.resource
      const policies = index.about(attributes)
      if (policies.length === 0 || isExcluded(group, plural)) return
      const request = policyRequest(attributes)
      const refusal = firstRefusal(policies, request, dependencies)
      if (refusal !== undefined) throw refusal
    },
    stop: () => index.stop(),
  }
}

/** Evaluates all policies, so that each can warn. The first one that denies the request determines the error. */
function firstRefusal(
  policies: ReturnType<Index['about']>,
  request: PolicyRequest,
  dependencies: PolicyDependencies,
): ApiError | undefined {
  const authorizer = policyAuthorizer(dependencies.authorizer)
  let refusal: ApiError | undefined
  for (const bound of policies) {
    const policyName = bound.policy.metadata.name
    const ignoresErrors = bound.policy.spec.failurePolicy === 'Ignore'
    const refuse = (bindingName: string | undefined, denial: Denial): void => {
      refusal ??= refusalOf(request, policyName, bindingName, denial)
    }
    for (const step of invocationsOf(bound, request, dependencies)) {
      const bindingName = step.binding?.metadata.name
      if ('message' in step) {
        if (!ignoresErrors) refuse(bindingName, step)
        continue
      }
      const compiled = bound.compiled()
      for (const params of step.params) {
        const parts = {
          request,
          match: step.match,
          namespaceObject: namespaceObject(request, dependencies.store),
          authorizer,
          hasParams: compiled.hasParams,
          params,
        }
        const result = evaluateValidations(compiled, parts, ignoresErrors)
        for (const denial of result.denials) {
          const actions = step.binding.spec.validationActions ?? []
          if (actions.includes('Deny')) refuse(bindingName, denial)
          if (actions.includes('Warn')) warn(request, policyName, bindingName, denial)
        }
        for (const message of result.annotationErrors) refuse(bindingName, { message })
      }
    }
  }
  return refusal
}

function warn(
  { context }: PolicyRequest,
  policyName: string,
  bindingName: string | undefined,
  { message }: Denial,
): void {
  const text = `Validation failed for ValidatingAdmissionPolicy '${policyName}' with binding '${bindingName}': ${message}`
  // The write may be retried, but each warning is sent once.
  if (!context.warnings.includes(text)) context.warnings.push(text)
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 }

function refusalOf(
  request: PolicyRequest,
  policyName: string,
  bindingName: string | undefined,
  { message, reason = 'Invalid' }: Denial,
): ApiError {
  const bound = bindingName === undefined ? '' : ` with binding '${bindingName}'`
  const text = `ValidatingAdmissionPolicy '${policyName}'${bound} denied request: ${message}`
  const error = forbidden(request.resource, requestName(request), text)
  return new ApiError(codes[reason] ?? 422, reason, error.message, {
    ...error.details,
    causes: [{ message: text }],
  })
}
