import { type EventRecorder, type GateOf, pass, stall, wait } from '@agents/controller'
import type { Budget, budgetConditions } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import {
  computeResources,
  formatAmount,
  modelResources,
  type Resource,
} from '../../../budgets/amounts.ts'
import type { BudgetBook } from '../../../budgets/budget-book.ts'
import type { BudgetEntry } from '../../../budgets/budget-entry.ts'
import type { BudgetDetail } from '../budget-detail.ts'

type WithinLimits = GateOf<typeof budgetConditions, 'WithinLimits', Budget, BudgetDetail>

interface LimitPorts {
  readonly book: BudgetBook
  readonly events: EventRecorder
  /** Stops the trees of runs that count against a Budget whose limit is passed. */
  readonly stopTrees: (entry: BudgetEntry, signal: AbortSignal) => Promise<void>
}

/** Whether tokens and dollars have capacity left. Reports the account of the Budget, which is derived each time. */
export function withinLimits({ book, events, stopTrees }: LimitPorts): WithinLimits {
  return {
    condition: 'WithinLimits',
    check: async (budget, _detail, { now, signal }) => {
      const entry = book.entryOf(budget)
      if (entry === undefined || book.isUnread(entry)) {
        return wait('WithinLimits', 'the Budget is being read', 1000)
      }
      const percent = percentOf(entry)
      const alert = entry.terms.alerts.findLast((one) => percent >= one)
      const detail = detailOf(entry, alert, book.source)
      const note = describe(entry, percent)
      announce(budget, detail, note, events)
      if (entry.terms.onExceeded === 'Stop' && entry.exceeded(true)) await stopTrees(entry, signal)
      const leftMs = Math.min(entry.window.end - now.getTime(), longestMs)
      if (entry.exceeded() !== undefined) {
        const message = `${note}; ${consequences[entry.terms.onExceeded]}`
        // Nothing but a change of the Budget helps where usage is never reset.
        if (!Number.isFinite(entry.window.end)) return stall('BudgetExhausted', message, { detail })
        return wait('BudgetExhausted', message, leftMs, { detail })
      }
      const recheck = { detail, recheckAfterMs: leftMs }
      return alert === undefined
        ? pass('WithinLimits', withUnpriced(entry, 'all limits have capacity left'), recheck)
        : pass('NearLimit', note, recheck)
    },
  }
}

/** Timers of Node.js have an upper bound. A recheck that finds nothing new writes nothing. */
const longestMs = 86_400_000

const consequences = {
  Stop: 'new runs wait, and running ones are stopped when the limit is passed',
  Block: 'new runs wait',
  Warn: 'runs go on',
} as const

/** The highest percentage of a limit that was used. */
function percentOf({ terms, used }: BudgetEntry): number {
  const percents = modelResources.map((resource) => {
    const limit = terms.limits[resource]
    if (limit === undefined) return 0
    return limit === 0 ? 100 : Math.floor((used[resource] / limit) * 100)
  })
  return Math.max(0, ...percents)
}

function describe(entry: BudgetEntry, percent: number): string {
  const parts = modelResources.flatMap((resource) => {
    const limit = entry.terms.limits[resource]
    if (limit === undefined) return []
    return `${formatAmount(resource, entry.used[resource])} of ${formatAmount(resource, limit)} ${resource}`
  })
  return withUnpriced(entry, `${percent} % used: ${parts.join(', ')}`)
}

function withUnpriced({ used, terms }: BudgetEntry, message: string): string {
  if (used.unpriced === 0 || terms.limits.dollars === undefined) return message
  return `${message}; ${used.unpriced} tokens are of models without a price and count in no dollars`
}

function detailOf(
  entry: BudgetEntry,
  alert: number | undefined,
  source: string,
): Partial<BudgetDetail> {
  const { terms, used, reserved, active, window } = entry
  const limited = (resource: Resource) => terms.limits[resource] !== undefined
  const amounts = (resources: readonly Resource[], of: (one: Resource) => number) =>
    Object.fromEntries(
      resources.filter(limited).map((one) => [one, formatAmount(one, of(one))] as const),
    )
  return {
    used: amounts([...modelResources, ...computeResources], (one) => entry.amountOf(one)),
    reserved: amounts(modelResources, (one) => reserved[one as 'tokens' | 'dollars']),
    activeRuns: active,
    unpricedTokens: used.unpriced > 0 ? `${used.unpriced}` : undefined,
    source,
    alert,
    windowStartedAt: Number.isFinite(window.start) ? rfc3339(new Date(window.start)) : undefined,
    windowEndsAt: Number.isFinite(window.end) ? rfc3339(new Date(window.end)) : undefined,
  }
}

/** An event for each alert that is reached for the first time in a window. */
function announce(
  budget: Budget,
  { alert, windowStartedAt }: Partial<BudgetDetail>,
  note: string,
  events: EventRecorder,
): void {
  if (alert === undefined) return
  const { status } = budget
  const isSameWindow = status?.windowStartedAt === windowStartedAt
  if (isSameWindow && (status?.alert ?? 0) >= alert) return
  events.record(budget, {
    type: 'Warning',
    reason: alert >= 100 ? 'BudgetExhausted' : 'NearLimit',
    action: 'Count',
    message: `${alert} % of a limit is reached: ${note}`,
  })
}
