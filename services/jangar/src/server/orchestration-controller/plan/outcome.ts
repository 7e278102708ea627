import type { PlanOutcome, PlanScope, StepState } from './plan-states.ts'

/** The outcome of a run whose steps, except for the last ones, have ended. Those cannot change it. */
export function outcomeOf(main: readonly StepState[]): PlanOutcome {
  if (main.some(({ reason }) => reason === 'RunCancelled')) {
    return { kind: 'cancelled', message: 'the run was cancelled' }
  }
  if (main.some(({ reason }) => reason === 'RunTimedOut')) {
    return { kind: 'failed', reason: 'TimedOut', message: 'the run exceeded its timeout' }
  }
  const failures = main.filter(({ phase }) => phase === 'Failed')
  const first = failures.toSorted((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))[0]
  if (first === undefined) return { kind: 'succeeded', message: describeSuccess(main) }
  const { name, reason, message = 'no details' } = first
  const others = failures.length > 1 ? ` (and ${failures.length - 1} more)` : ''
  return { kind: 'failed', reason, message: `step ${name} failed${others}: ${message}` }
}

function describeSuccess(main: readonly StepState[]): string {
  const skipped = main.filter(({ phase }) => phase === 'Skipped').length
  const reused = main.filter(({ reason }) => reason === 'Reused').length
  const notes = [
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(reused > 0 ? [`${reused} taken over`] : []),
  ]
  const steps = main.length === 1 ? 'the step' : `all ${main.length} steps`
  return `${steps} ended${notes.length > 0 ? `, ${notes.join(', ')}` : ''}`
}

/** The outcome as templates and expressions of the last steps see it. */
export function outcomeWord({ kind }: PlanOutcome): NonNullable<PlanScope['outcome']> {
  if (kind === 'succeeded') return 'Succeeded'
  return kind === 'failed' ? 'Failed' : 'Cancelled'
}
