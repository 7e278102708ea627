import type { Metrics } from '@agents/controller'
import { computeResources, modelResources, type Resource } from './amounts.ts'
import type { BudgetBook } from './budget-book.ts'
import type { BudgetEntry } from './budget-entry.ts'

/** Adds what Budgets limit, and what is used and reserved, in tokens, dollars, cores, bytes and GPUs. */
export function addBudgetMetrics(metrics: Metrics, book: BudgetBook): void {
  const gauge = (
    name: string,
    help: string,
    amountOf: (entry: BudgetEntry, resource: Resource) => number | undefined,
  ): void =>
    metrics.gauge({
      name,
      help,
      labelNames: ['namespace', 'budget', 'resource'],
      read: function* () {
        for (const entry of book.entries()) {
          const { namespace = '', name: budget } = entry.budget.metadata
          for (const resource of [...modelResources, ...computeResources]) {
            const amount = amountOf(entry, resource)
            if (amount === undefined || entry.terms.limits[resource] === undefined) continue
            yield { labels: { namespace, budget, resource }, value: amount / units[resource] }
          }
        }
      },
    })
  gauge('agents_budget_limit', 'Limit of a Budget.', ({ terms }, one) => terms.limits[one])
  gauge(
    'agents_budget_used',
    'Usage in the current window; of cpu, memory and gpu, what active runs request.',
    (entry, one) => entry.amountOf(one),
  )
  gauge(
    'agents_budget_reserved',
    'What active runs have reserved and not used.',
    ({ reserved }, one) => (one === 'tokens' || one === 'dollars' ? reserved[one] : undefined),
  )
}

const units: Readonly<Record<Resource, number>> = {
  tokens: 1,
  dollars: 1_000_000,
  cpu: 1000,
  memory: 1000,
  gpu: 1000,
}
