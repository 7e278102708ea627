import type { Problem } from '../expressions/problem.ts'
import type { Graph, OrchestrationSpec } from './graph.ts'
import { isCount } from './is-count.ts'

type ReadPolicies =
  | { readonly ok: true; readonly policies: Graph['policies'] }
  | { readonly ok: false; readonly problem: Problem }

export function readPolicies(policies: OrchestrationSpec['policies']): ReadPolicies {
  const { failFast = true, parallelism = 0, timeoutSeconds = 0 } = policies ?? {}
  if (typeof failFast !== 'boolean') return invalid('failFast', 'must be true or false')
  for (const [name, value] of Object.entries({ parallelism, timeoutSeconds })) {
    if (!isCount(value)) return invalid(name, 'must be a whole number, 0 or more')
  }
  return { ok: true, policies: { failFast, parallelism, timeoutSeconds } }
}

function invalid(name: string, message: string): ReadPolicies {
  return {
    ok: false,
    problem: { reason: 'InvalidPolicies', path: `spec.policies.${name}`, message },
  }
}
