import type { Agent, AgentRun } from '@agents/jangar-api'
import { type Amounts, computeAmounts, modelResources, readAmounts } from '../../budgets/amounts.ts'
import type { Prices } from '../../budgets/prices.ts'
import { commonWork, nothingUsed, type UsedAmounts, type Work } from '../../budgets/work.ts'
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
    used: usedBy(run, agent, prices),
    requests: requestsOf(run, agent),
    reserve: readAmounts(spec.policy?.reserve, modelResources).amounts,
  }
}

function usedBy({ spec, status }: AgentRun, agent: Agent | undefined, prices: Prices): UsedAmounts {
  const { usage, progress } = status ?? {}
  if (usage === undefined && progress === undefined) return nothingUsed
  // Of attempts that ended, and of the one that runs.
  const ended = tokensOf(usage)
  const running = tokensOf(progress)
  const tokens = ended.tokens + running.tokens
  const { model } = mergeSettings(agent?.spec.defaults ?? {}, spec, undefined).parameters
  const dollars = prices.costOf(model, {
    input: ended.input + running.input,
    cachedInput: ended.cachedInput + running.cachedInput,
    output: ended.output + running.output,
  })
  return { tokens, dollars: dollars ?? 0, unpriced: dollars === undefined ? tokens : 0 }
}

type Usage = NonNullable<NonNullable<AgentRun['status']>['usage']>

function tokensOf(usage: Usage = {}) {
  const output = count(usage.outputTokens)
  const known = count(usage.inputTokens) + output
  // A report may have a total alone.
  const tokens = Math.max(count(usage.totalTokens), known)
  const input = tokens - output
  return { tokens, input, cachedInput: count(usage.cachedInputTokens), output }
}

/** Counts beyond 2^53 are bigint values, although the types of the API say number. */
function count(value: number | bigint | undefined): number {
  return Math.min(Number(value ?? 0), 2 ** 49)
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
