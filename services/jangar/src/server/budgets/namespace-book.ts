import { type PolicyVerdict, policyPass } from '../admission/admission-policies.ts'
import type { BudgetEntry } from './budget-entry.ts'
import type { Work, WorkKind } from './work.ts'

export type BudgetVerdict = PolicyVerdict<'BudgetExhausted' | 'BudgetUnavailable'>

/** The Budgets of one namespace, and the runs there. Only namespaces with Budgets have one. */
export interface NamespaceBook {
  readonly entries: Map<string, BudgetEntry>
  readonly works: Map<string, Work>
  /** Runs that passed the Budgets here, and whose status does not show that they were admitted. */
  readonly held: Set<string>
  /** Runs with usage that were deleted since the ledger was read, by uid. */
  readonly gone: Map<string, string>
  /** Runs that wait for a Budget, in the order in which they came. */
  readonly waiting: Map<string, Work>
}

export function verdictOf(entries: readonly BudgetEntry[], id: string, work: Work): BudgetVerdict {
  for (const { budget, terms } of entries) {
    if (terms.problem === undefined) continue
    const message = `Budget ${budget.metadata.name} is invalid, so that no run of its scope starts: ${terms.problem.message}`
    return { kind: 'wait', reason: 'BudgetUnavailable', message }
  }
  for (const entry of entries) {
    const short = entry.shortage(id, work)
    if (short) return { kind: 'wait', reason: 'BudgetExhausted', ...short }
  }
  return policyPass
}

export function isStopping(entry: BudgetEntry): boolean {
  return entry.terms.onExceeded === 'Stop' && entry.exceeded(true) !== undefined
}

export function idOf(kind: WorkKind, key: string): string {
  return `${kind} ${key}`
}

export function parseId(id: string): { readonly kind: WorkKind; readonly key: string } {
  const space = id.indexOf(' ')
  return { kind: id.slice(0, space) as WorkKind, key: id.slice(space + 1) }
}
