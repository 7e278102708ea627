import type { AgentRun, Budget } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import {
  budgetHeader,
  budgetRows,
  spendingHeader,
  spendingRows,
  spendingRuns,
} from '../budgets/budget-rows.ts'
import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { columns } from '../cli/text-table.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'

const BudgetKind = kindRef<Budget>(platformKind('Budget'))
const AgentRunKind = kindRef<AgentRun>(platformKind('AgentRun'))

export const budgetsCommand = defineCommand({
  about:
    'Lists Budgets with what is used and reserved. With a name, shows which runs used tokens of it in the current window.',
  arguments: [{ name: 'BUDGET', optional: true, offers: { namesOf: 'budgets' } }],
  options: { ...clusterOptions },
  examples: [
    { does: 'see what is left', line: 'agentctl budgets' },
    { does: 'see which runs used it', line: 'agentctl budgets reviewer' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [name] = positionals
      const signal = context.stop
      if (name === undefined) {
        const { items } = await client.list(BudgetKind, { namespace, signal })
        if (items.length === 0) {
          context.stderr.write(`There is no Budget in the namespace ${namespace}.\n`)
          return exitCode.done
        }
        const sorted = items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        context.stdout.write(columns([budgetHeader, ...sorted.flatMap(budgetRows)]))
        return exitCode.done
      }
      const budget = await client.get(BudgetKind, { namespace, name }, { signal })
      context.stdout.write(columns([budgetHeader, ...budgetRows(budget)]))
      const { items: runs } = await client.list(AgentRunKind, { namespace, signal })
      const rows = spendingRows(budget, spendingRuns(budget, runs))
      if (rows.length === 0) context.stderr.write('No run has used tokens of it in this window.\n')
      else context.stdout.write(`\n${columns([spendingHeader, ...rows])}`)
      const { source } = budget.status ?? {}
      if (source !== undefined) context.stderr.write(`Counted from ${source}.\n`)
      return exitCode.done
    }),
})
