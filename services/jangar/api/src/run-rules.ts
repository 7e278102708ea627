import type { ValidationRule } from '@agents/crd'
import type { RunConditions } from '@agents/status'

/**
 * CEL rules for the status of a kind that runs once, so that the API server keeps what the status contract promises,
 * whoever writes the status: timestamps are set when the run starts or finishes and never change, and a finished run
 * stays finished with the same outcome.
 *
 * Most writes are status writes of runs that have not finished. For these, the rules read as few fields as possible.
 */
export function runRules(
  conditions: RunConditions,
  /** Further timestamps that never change once set. */
  timestamps: readonly string[] = [],
): ValidationRule[] {
  const lastGate = conditions.gates.at(-1)?.type
  const started = lastGate === undefined ? ['Finished'] : [lastGate, 'Finished']
  return [
    {
      rule: [
        setOnce('startedAt', someTrue('self', started)),
        setOnce('finishedAt', someTrue('self', ['Finished'])),
        ...timestamps.map((name) => setOnce(name, 'true')),
      ].join(' && '),
      message:
        'startedAt and finishedAt are set when the run starts or finishes, and cannot be changed',
      reason: 'FieldValueForbidden',
    },
    {
      rule: `!${someTrue('oldSelf', ['Finished'])} || (has(self.conditions) && ${outcome('oldSelf')} == ${outcome('self')})`,
      message: 'the run has finished, and its outcome cannot be changed',
      reason: 'FieldValueForbidden',
    },
  ]
}

/** The field can be set only if the condition holds, and is neither changed nor removed afterwards. */
function setOnce(name: string, condition: string): string {
  const unset = condition === 'true' ? 'true' : `(!has(self.${name}) || ${condition})`
  return `(has(oldSelf.${name}) ? has(self.${name}) && self.${name} == oldSelf.${name} : ${unset})`
}

function someTrue(status: string, types: readonly string[]): string {
  const isType =
    types.length === 1 ? `c.type == '${types[0]}'` : `c.type in ['${types.join("', '")}']`
  return `(has(${status}.conditions) && ${status}.conditions.exists(c, ${isType} && c.status == 'True'))`
}

/** What the status contract says about the end of a run. `observedGeneration` still advances after the end. */
function outcome(status: string): string {
  const types = "c.type in ['Succeeded', 'Finished', 'Ready', 'Reconciling', 'Stalled']"
  const parts = '[c.type, c.status, c.reason, c.message, string(c.lastTransitionTime)]'
  return `${status}.conditions.map(c, ${types}, ${parts})`
}
