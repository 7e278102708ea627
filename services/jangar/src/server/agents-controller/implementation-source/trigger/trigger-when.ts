import { compilePredicate, type PredicateVariables } from '@agents/crd'
import type { Trigger, TriggerEvent } from './trigger-event.ts'

/** What an expression can use. What the issue says is absent if the delivery does not contain the issue. */
const variables = {
  event: {
    fields: {
      ...{ type: 'string', actor: 'string', repository: 'string', externalId: 'string' },
      ...{ text: 'string', title: 'string', body: 'string', url: 'string', labels: 'any' },
      ...{ branch: 'string', commit: 'string', check: 'string' },
    },
  },
} as const satisfies PredicateVariables

/** Why `when` of the trigger is not an expression. */
export function whenProblem({ name, when }: Pick<Trigger, 'name' | 'when'>): string | undefined {
  if (when === undefined) return undefined
  const compiled = compilePredicate(when, variables)
  return compiled.ok ? undefined : `spec.triggers[${name}].when: ${firstLine(compiled.error)}`
}

/** Why `when` of its trigger keeps an event from starting a run. An error does so, too. */
export function whenRefusal(
  event: TriggerEvent,
): { readonly why: string; readonly isDenied?: boolean } | undefined {
  const { trigger } = event
  if (trigger.when === undefined) return undefined
  const compiled = compilePredicate(trigger.when, variables)
  const outcome = compiled.ok ? compiled.predicate.evaluate({ event: valuesOf(event) }) : compiled
  const at = `spec.triggers[${trigger.name}].when`
  if (!outcome.ok) return { why: `${at}: ${firstLine(outcome.error)}`, isDenied: true }
  return outcome.value ? undefined : { why: `${at} is false` }
}

function valuesOf(event: TriggerEvent) {
  const { trigger, actor, repository, externalId, text, issue, push, check } = event
  return {
    ...{ type: trigger.event, actor, externalId, text, ...push },
    ...(check && { check: check.name, commit: check.commit }),
    ...(repository !== undefined && { repository }),
    ...(issue && {
      ...{ title: issue.title, body: issue.body, url: issue.url, labels: [...issue.labels] },
    }),
  }
}

/** The compiler also shows the source, which the reader has. */
function firstLine(error: string): string {
  const [line = ''] = error.split('\n', 1)
  return line.replace(/^ERROR: <input>:(\d+:\d+): /, 'at $1: ').slice(0, 300)
}
