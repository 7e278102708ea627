import type { CheckState, ReviewDecision } from '../forge.ts'
import { Fields, listOf } from '../reading/fields.ts'

/** Check runs and commit statuses together; undefined if there is neither. */
export function checkState(runs: unknown, combined: unknown): CheckState | undefined {
  const states = [
    ...(runs === undefined ? [] : listOf(new Fields(runs).list('check_runs'), runState)),
    ...(combined === undefined ? [] : combinedState(new Fields(combined))),
  ]
  if (states.includes('failing')) return 'failing'
  if (states.includes('pending')) return 'pending'
  return states.length === 0 ? undefined : 'passing'
}

function runState(run: Fields): CheckState {
  if (run.text('status') !== 'completed') return 'pending'
  return harmless.includes(run.textOrEmpty('conclusion')) ? 'passing' : 'failing'
}

const harmless = ['success', 'neutral', 'skipped']

function combinedState(fields: Fields): CheckState[] {
  // Without statuses the combined state is "pending", too.
  return listOf(fields.list('statuses'), (status) => statusState(status.text('state')))
}

function statusState(state: string): CheckState {
  if (state === 'success') return 'passing'
  return state === 'pending' ? 'pending' : 'failing'
}

/** The last decision of each reviewer counts: one that requests changes outweighs approvals. */
export function reviewDecision(reviews: readonly unknown[]): ReviewDecision | undefined {
  const latest = new Map<string, string>()
  for (const review of reviews) {
    const fields = new Fields(review)
    const state = fields.text('state')
    const user = fields.objectIfAny('user')?.text('login') ?? ''
    if (decisions.includes(state)) latest.set(user, state)
  }
  const states = [...latest.values()]
  if (states.includes('CHANGES_REQUESTED')) return 'changes-requested'
  return states.includes('APPROVED') ? 'approved' : undefined
}

/** Comments decide nothing. A dismissed review no longer does. */
const decisions = ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']
