import type { Agent, AgentRun } from '@agents/jangar-api'
import { type Amounts, computeAmounts, modelResources, readAmounts } from '../../budgets/amounts.ts'
import type { Prices } from '../../budgets/prices.ts'
import { commonWork, nothingUsed, type Work } from '../../budgets/work.ts'
import { pricedModels } from './priced-models.ts'
import { mergeSettings } from './resolve/agent-defaults.ts'

/** What an AgentRun counts against Budgets. */
export function agentRunWork(
  run: AgentRun,
  agent: Agent | undefined,
  prices: Prices,
  isActive: boolean,
): Work {
  const { spec } = run
  return {
    ...commonWork(run, 'AgentRun', isActive),
    agent: spec.agentRef.name,
    named: spec.policy?.budgetRef?.name,
    ...usedBy(run, agent, prices),
    requests: requestsOf(run, agent),
    reserve: readAmounts(spec.policy?.reserve, modelResources).amounts,
  }
}

function usedBy(
  { spec, status }: AgentRun,
  agent: Agent | undefined,
  prices: Prices,
): Pick<Work, 'used' | 'models'> {
  const { usage, progress } = status ?? {}
  if (usage === undefined && progress === undefined) return { used: nothingUsed }
  const { model: named } = mergeSettings(agent?.spec.defaults ?? {}, spec, undefined).parameters
  const models = pricedModels([usage, progress], named, prices)
  const sum = (name: 'tokens' | 'dollars' | 'unpriced') =>
    models.reduce((total, one) => total + one[name], 0)
  const used = { tokens: sum('tokens'), dollars: sum('dollars'), unpriced: sum('unpriced') }
  return { used, models: models.filter(({ model }) => model !== '') }
}

/** Steps run one after the other, so the largest request of each resource counts. */
function requestsOf({ spec }: AgentRun, agent: Agent | undefined): Amounts {
  const defaults = agent?.spec.defaults ?? {}
  const steps = spec.runtime.type === 'workflow' ? (spec.workflow?.steps ?? []) : []
  const each = (steps.length === 0 ? [undefined] : steps).map((step) => {
    const { limits, requests } = mergeSettings(defaults, spec, step).workload.resources ?? {}
    // A limit without a request is the request, as the API server has it for pods.
    return computeAmounts({ ...limits, ...requests })
  })
  const largest = (name: 'cpu' | 'memory' | 'gpu') =>
    each.reduce((most, one) => Math.max(most, one[name] ?? 0), 0)
  return { cpu: largest('cpu'), memory: largest('memory'), gpu: largest('gpu') }
}
