import { type GateOf, pass, stall } from '@agents/controller'
import type { SecretBinding, secretBindingConditions } from '@agents/jangar-api'
import { secretBindingProblem } from '../../../primitives-policy/secret-bindings.ts'

export const validated: GateOf<typeof secretBindingConditions, 'Validated', SecretBinding> = {
  condition: 'Validated',
  check: (binding) => {
    const problem = secretBindingProblem(binding)
    if (problem !== undefined) return stall(problem.reason, problem.message)
    return pass('Valid', 'the binding is in effect')
  },
}
