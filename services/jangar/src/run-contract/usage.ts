import { optional, type Reader, record } from '../reader/reader.ts'
import { amount, sumOf } from './amount.ts'
import { addModels, type ModelUsage, maskedModels, optionalModels } from './model-usage.ts'

/** What a run has consumed, with the fields of an AgentRun's status. */
export interface Usage {
  /** Everything that models read, what came out of a cache included. */
  readonly inputTokens?: number
  /** Part of `inputTokens`. */
  readonly cachedInputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  /** US dollars as a decimal number. */
  readonly dollars?: string
  /** Answers of models. */
  readonly turns?: number
  readonly toolCalls?: number
  /** The part of each model, as far as it is known. */
  readonly models?: readonly ModelUsage[]
}

const dollars: Reader<string> = {
  read(value, path, problems) {
    const formatted = formatDollars(value)
    if (formatted === undefined) problems.push({ path, message: 'must be an amount in US dollars' })
    return formatted ?? ''
  },
}

export const optionalUsage = optional(
  record({
    inputTokens: optional(amount),
    cachedInputTokens: optional(amount),
    outputTokens: optional(amount),
    totalTokens: optional(amount),
    dollars: optional(dollars),
    turns: optional(amount),
    toolCalls: optional(amount),
    models: optionalModels,
  }),
)

/** Accepts a number or decimal text; up to six places, none that are only zeros. */
export function formatDollars(value: unknown): string | undefined {
  const isDecimal = typeof value === 'string' && /^\d{1,9}(?:\.\d{1,12})?$/.test(value)
  const amount = isDecimal ? Number(value) : value
  if (typeof amount !== 'number' || !(amount >= 0 && amount < 1e9)) return undefined
  return amount.toFixed(6).replace(/\.?0+$/, '')
}

export const counts = [
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'totalTokens',
  'turns',
  'toolCalls',
] as const

export function addUsage(a: Usage, b: Usage): Usage {
  const dollarsOf = ({ dollars: paid }: Usage) => (paid === undefined ? 0 : Number(paid))
  const total = formatDollars(dollarsOf(a) + dollarsOf(b))
  const sum = (name: (typeof counts)[number]) => {
    if (a[name] === undefined && b[name] === undefined) return {}
    return { [name]: sumOf(a[name], b[name]) }
  }
  return {
    ...Object.assign({}, ...counts.map(sum)),
    ...(total !== undefined && (a.dollars ?? b.dollars) !== undefined && { dollars: total }),
    ...modelsOf([...(a.models ?? []), ...(b.models ?? [])]),
  }
}

/** Without names of models that hold a secret. The rest is numbers. */
export function maskedUsage(
  { models = [], ...usage }: Usage,
  mask: (text: string) => string,
): Usage {
  return { ...usage, ...modelsOf(maskedModels(models, mask)) }
}

function modelsOf(models: readonly ModelUsage[]): Pick<Usage, 'models'> {
  return models.length === 0 ? {} : { models: addModels(...models) }
}

/** Fills in the total where only its parts are known. */
export function withTotal(usage: Usage): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage
  if (totalTokens !== undefined) return usage
  if (inputTokens === undefined && outputTokens === undefined) return usage
  return { ...usage, totalTokens: sumOf(inputTokens, outputTokens) }
}
