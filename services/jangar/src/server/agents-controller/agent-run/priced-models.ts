import type { AgentRun } from '@agents/jangar-api'
import type { Prices } from '../../budgets/prices.ts'
import type { ModelAmounts } from '../../budgets/work.ts'

type Usage = NonNullable<NonNullable<AgentRun['status']>['usage']>

interface Tokens {
  tokens: number
  input: number
  cachedInput: number
  output: number
}

/**
 * The tokens of each model with their price; the empty name is that of unknown models. Each token counts once: reported
 * parts never exceed the total, and what they leave belongs to the model that the run names.
 *
 * If the agent reports other models than that, the name is an alias such as `sonnet`, and its price is that of reported
 * models that have none themselves.
 */
export function pricedModels(
  usages: readonly (Usage | undefined)[],
  named: string | undefined,
  prices: Prices,
): readonly ModelAmounts[] {
  const byModel = new Map<string, Tokens>()
  for (const usage of usages) addParts(byModel, usage ?? {}, named ?? '')
  const reported = usages.flatMap((usage) => usage?.models ?? []).map(({ model }) => model)
  const alias = named !== undefined && !reported.includes(named) ? named : undefined
  return [...byModel].map(([model, tokens]) => {
    const dollars = prices.costOf(model, tokens) ?? prices.costOf(alias, tokens)
    const unpriced = dollars === undefined ? tokens.tokens : 0
    return { model, tokens: tokens.tokens, dollars: dollars ?? 0, unpriced }
  })
}

function addParts(byModel: Map<string, Tokens>, usage: Usage, rest: string): void {
  const left = tokensOf(usage)
  for (const { model, ...counts } of usage.models ?? []) {
    addTo(byModel, model, taken(left, tokensOf(counts)))
  }
  addTo(byModel, rest, left)
}

/** Takes as much as is left. */
function taken(left: Tokens, part: Tokens): Tokens {
  const output = Math.min(part.output, left.output)
  const input = Math.min(part.input, left.input)
  const cachedInput = Math.min(part.cachedInput, input, left.cachedInput)
  left.tokens -= input + output
  left.input -= input
  left.cachedInput -= cachedInput
  left.output -= output
  return { tokens: input + output, input, cachedInput, output }
}

function addTo(byModel: Map<string, Tokens>, model: string, more: Tokens): void {
  if (more.tokens === 0) return
  const before = byModel.get(model)
  if (before === undefined) {
    byModel.set(model, { ...more })
    return
  }
  before.tokens += more.tokens
  before.input += more.input
  before.cachedInput += more.cachedInput
  before.output += more.output
}

function tokensOf(usage: Omit<Usage, 'models'>): Tokens {
  const output = count(usage.outputTokens)
  const known = count(usage.inputTokens) + output
  // A report may have a total alone.
  const tokens = Math.max(count(usage.totalTokens), known)
  return { tokens, input: tokens - output, cachedInput: count(usage.cachedInputTokens), output }
}

/** Counts beyond 2^53 are bigint values, although the types of the API say number. */
function count(value: number | bigint | undefined): number {
  return Math.min(Number(value ?? 0), 2 ** 49)
}
