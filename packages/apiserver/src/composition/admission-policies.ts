import {
  type MutatingDependencies,
  mutatingAdmission,
} from '../admission-policy/dispatch/mutating.ts'
import { paramAccessCheck } from '../admission-policy/dispatch/param-access.ts'
import { validatingAdmission } from '../admission-policy/dispatch/validating.ts'
import { createMatcher } from '../admission-policy/matching/match-resources.ts'
import type { Authorizer } from '../auth/rbac/authorizer.ts'
import { type Admission, admissionChain } from '../rest/admission.ts'
import type { ServerCore } from '../server-frame.ts'

interface AdmissionPolicies {
  /** Admission that runs `own` first and then the stored policies. */
  after(own: Admission): Admission
  stop(): void
}

/** `disabled` has the names of kube-apiserver's flag, such as `ValidatingAdmissionPolicy`. */
export function createAdmissionPolicies(
  { store, registry }: ServerCore,
  authorizer: Authorizer,
  disabled: ReadonlySet<string>,
  schemaOf: MutatingDependencies['schemaOf'],
): AdmissionPolicies {
  const matcher = createMatcher(registry, store)
  const dependencies = { store, registry, authorizer, matcher }
  const validating = disabled.has('ValidatingAdmissionPolicy')
    ? undefined
    : validatingAdmission(dependencies)
  const mutating = disabled.has('MutatingAdmissionPolicy')
    ? undefined
    : mutatingAdmission({ ...dependencies, schemaOf })
  const access = paramAccessCheck(dependencies)
  return {
    after: (own) => {
      const { admit, validate } = admissionChain([
        own,
        access,
        ...(validating === undefined ? [] : [validating]),
      ])
      return {
        validate,
        admit: (attributes) => {
          admit(attributes)
          const pass = mutating?.admit(attributes)
          if (pass === undefined) return
          // After policies changed the object, the built-in plugins run again, and then the policies with reinvocation.
          admit(attributes)
          pass.again()
        },
      }
    },
    stop: () => {
      validating?.stop()
      mutating?.stop()
    },
  }
}
