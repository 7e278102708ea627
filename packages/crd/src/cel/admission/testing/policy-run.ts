import type {
  AuthorizationAttributes,
  PolicyAuthorizer,
} from '../../library/authorizer/policy-authorizer.ts'
import type { AdmissionInput, AdmissionRequest } from '../admission-input.ts'
import {
  createPolicyCompiler,
  type PolicyDeclarations,
  type PolicyResultKind,
} from '../policy-compiler.ts'
import { policyBudget, policyInput, startPolicyEvaluation } from '../policy-evaluation.ts'

export const everything: PolicyDeclarations = { params: true, authorizer: true }

const request: AdmissionRequest = {
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  subResource: '',
  requestKind: { group: 'apps', version: 'v1beta1', kind: 'Deployment' },
  requestResource: { group: 'apps', version: 'v1beta1', resource: 'deployments' },
  requestSubResource: 'scale',
  name: 'web',
  namespace: 'shop',
  operation: 'UPDATE',
  userInfo: { username: 'ann', uid: '', groups: ['devs'], extra: { scopes: ['a', 'b'] } },
  dryRun: false,
  options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
}

export const input: AdmissionInput = {
  object: null,
  oldObject: null,
  request,
  params: null,
  namespaceObject: null,
}

/** An authorizer that records its checks and allows those in `allowed`. */
export function recordingAuthorizer(
  allowed: (attributes: AuthorizationAttributes) => boolean,
): PolicyAuthorizer & { readonly checks: AuthorizationAttributes[] } {
  const checks: AuthorizationAttributes[] = []
  return {
    checks,
    authorize: (attributes) => {
      checks.push(attributes)
      return { allowed: allowed(attributes), reason: 'because' }
    },
  }
}

/** Evaluates one expression with the variables that it may use. */
export function runPolicy(
  source: string,
  given: Partial<AdmissionInput> = {},
  variables: Readonly<Record<string, string>> = {},
  result: PolicyResultKind = 'bool',
) {
  const compiler = createPolicyCompiler()
  for (const [name, expression] of Object.entries(variables)) {
    compiler.addVariable(name, expression, everything)
  }
  const expression = compiler.compile(source, result, everything)
  const values = policyInput({ ...input, ...given })
  const evaluation = startPolicyEvaluation(compiler, values, policyBudget)
  const outcome = evaluation.evaluate(expression)
  return { outcome, cost: policyBudget - evaluation.remaining }
}
