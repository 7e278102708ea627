import { matchConditionsBudget, startPolicyEvaluation } from '@agents/crd'
import type { CompiledPolicy } from '../compiled-policy.ts'
import { conditionsInput, type InputParts } from './policy-input.ts'

/** Whether all conditions are true; an error if one failed to evaluate and none is false. */
type ConditionsOutcome = { readonly matches: boolean } | { readonly error: string }

/** Evaluates match conditions, which come before all other expressions and cannot use `namespaceObject`. */
export function evaluateMatchConditions(
  { compiler, matchConditions }: CompiledPolicy,
  parts: InputParts,
): ConditionsOutcome {
  if (matchConditions.length === 0) return { matches: true }
  const evaluation = startPolicyEvaluation(compiler, conditionsInput(parts), matchConditionsBudget)
  const errors: string[] = []
  let isFalse = false
  for (const condition of matchConditions) {
    const outcome = evaluation.evaluate(condition)
    if (outcome.kind === 'stopped') return { error: outcome.error }
    if (outcome.kind === 'error') errors.push(outcome.error)
    else if (!outcome.value) isFalse = true
  }
  if (isFalse) return { matches: false }
  return errors.length === 0 ? { matches: true } : { error: aggregate(errors) }
}

/** Joins errors to one text without duplicates. */
function aggregate(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
