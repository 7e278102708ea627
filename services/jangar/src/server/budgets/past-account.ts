import type { BudgetEntry } from './budget-entry.ts'
import type { NamespaceBook } from './namespace-book.ts'
import type { PastUsage } from './past-usage.ts'
import type { Window } from './window.ts'
import { nothingUsed, type UsedAmounts } from './work.ts'

/** What was read of a namespace. */
export interface PastAnswers {
  /** Deleted runs that are in the answers. */
  readonly confirmed: readonly string[]
  readonly answers: ReadonlyMap<Window, readonly PastUsage[]>
}

/** The runs that are counted from the cluster, those that were deleted, and the windows of the Budgets. */
export function questionOf({ works, gone, entries }: NamespaceBook) {
  const deleted = new Set(gone.values())
  const held = [...works].flatMap(([id, { uid }]) => (deleted.has(id) ? [] : [uid]))
  const windows = [...entries.values()].map(({ window }) => window)
  return { held, gone: [...gone.keys()], windows: distinct(windows) }
}

/** Takes over what the ledger says; returns the Budgets that it concerns. */
export function takeAnswers(
  { works, gone, entries }: NamespaceBook,
  { confirmed, answers }: PastAnswers,
): BudgetEntry[] {
  for (const uid of confirmed) {
    const id = gone.get(uid)
    if (id === undefined) continue
    gone.delete(uid)
    works.delete(id)
    for (const entry of entries.values()) entry.remove(id)
  }
  return [...entries.values()].filter((entry) => {
    const found = [...answers].find(([window]) => isSameWindow(window, entry.window))
    if (found === undefined) return false
    entry.setPast(sumOf(found[1].filter(({ of }) => entry.concerns(of))))
    return true
  })
}

function distinct(windows: readonly Window[]): Window[] {
  return windows.filter(
    (window, at) => windows.findIndex((other) => isSameWindow(window, other)) === at,
  )
}

function isSameWindow(a: Window, b: Window): boolean {
  return a.start === b.start && a.end === b.end
}

function sumOf(past: readonly PastUsage[]): UsedAmounts {
  const sum = { ...nothingUsed }
  for (const { used } of past) {
    sum.tokens += used.tokens
    sum.dollars += used.dollars
    sum.unpriced += used.unpriced
  }
  return sum
}
