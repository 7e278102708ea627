import type { ApiObject } from '@agents/client'
import { quantity } from './quantity.ts'

export const budgetKind = 'budgets.budgets.proompteng.ai'

type Amounts = Readonly<Record<string, string | undefined>>

interface Budget {
  readonly spec: {
    readonly limits?: Amounts
    readonly window?: string
    readonly timezone?: string
    readonly onExceeded?: string
    readonly scope?: {
      readonly agentRef?: { readonly name?: string }
      readonly labelSelector?: { readonly matchLabels?: Readonly<Record<string, string>> }
    }
  }
  readonly status: {
    readonly used?: Amounts
    readonly reserved?: Amounts
    readonly activeRuns?: number
    readonly unpricedTokens?: string
    readonly source?: string
    readonly windowEndsAt?: string
  }
}

/** The parts of a Budget that pages show. */
export function budgetOf({ spec, status }: ApiObject): Budget {
  return { spec: spec ?? {}, status: status ?? {} } as Budget
}

interface BudgetLine {
  readonly resource: string
  readonly used: string
  readonly limit: string
  readonly reserved: string | undefined
  /** Of the limit, from 0 to 1: what is used, and what active runs have reserved beside it. */
  readonly share: number
  readonly held: number
}

const resources = ['tokens', 'dollars', 'cpu', 'memory', 'gpu']

/** What is used of each limit. */
export function budgetLines(object: ApiObject): readonly BudgetLine[] {
  const { spec, status } = budgetOf(object)
  return resources.flatMap((resource) => {
    const limit = spec.limits?.[resource]
    if (limit === undefined) return []
    const used = status.used?.[resource] ?? '0'
    const reserved = status.reserved?.[resource]
    const share = part(used, limit)
    const held = Math.min(part(reserved, limit), 1 - share)
    return [{ resource, used, limit, reserved, share, held }]
  })
}

function part(amount: string | undefined, limit: string): number {
  const [of, whole] = [quantity(amount), quantity(limit)]
  if (of === undefined || whole === undefined || whole <= 0) return 0
  return Math.min(1, of / whole)
}

/** The largest share of any limit. */
export function fullness(object: ApiObject): number {
  return Math.max(0, ...budgetLines(object).map(({ share }) => share))
}
