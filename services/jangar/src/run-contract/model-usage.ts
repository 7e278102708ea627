import { leaf, listOf, optional, record } from '../reader/reader.ts'
import { amount, sumOf } from './amount.ts'

/** The tokens of one model, as a part of a usage. */
export interface ModelUsage {
  readonly model: string
  readonly inputTokens?: number
  readonly cachedInputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
}

export const modelCounts = [
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'totalTokens',
] as const

/** The agent names them, and they are part of the status of its run. */
export const mostModels = 8
export const modelPattern = '^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$'

const modelName = new RegExp(modelPattern)

export function isModelName(value: unknown): value is string {
  return typeof value === 'string' && modelName.test(value)
}

export const optionalModels = optional(
  listOf(
    record({
      model: leaf('the name of a model', isModelName),
      inputTokens: optional(amount),
      cachedInputTokens: optional(amount),
      outputTokens: optional(amount),
      totalTokens: optional(amount),
    }),
  ),
)

type Counts = Omit<ModelUsage, 'model'>

/** The counts of a usage as those of one model. */
export function ofModel(model: string, usage: Counts): ModelUsage {
  const known = modelCounts.filter((name) => usage[name] !== undefined)
  return { model, ...Object.fromEntries(known.map((name) => [name, usage[name]])) }
}

/** Adds up by model; the largest first, and no more than a status has room for. */
export function addModels(...all: readonly ModelUsage[]): readonly ModelUsage[] {
  const byName = new Map<string, ModelUsage>()
  for (const one of all) {
    const before = byName.get(one.model)
    // Members that are not counts are left out: whoever reports may add any.
    byName.set(one.model, ofModel(one.model, before ? sumOfCounts(before, one) : one))
  }
  return largestModels([...byName.values()], mostModels)
}

/** The tokens of those that are left out are known as a part of the total alone. */
export function largestModels(models: readonly ModelUsage[], most: number): readonly ModelUsage[] {
  return models.toSorted((a, b) => tokensOf(b) - tokensOf(a)).slice(0, most)
}

function sumOfCounts(a: Counts, b: Counts): Counts {
  const known = modelCounts.filter((name) => (a[name] ?? b[name]) !== undefined)
  return Object.fromEntries(known.map((name) => [name, sumOf(a[name], b[name])]))
}

function tokensOf({ inputTokens, outputTokens, totalTokens }: Counts): number {
  return Math.max(Number(totalTokens ?? 0), sumOf(inputTokens, outputTokens))
}

/** What a running total has grown by. */
export function growth(before: Counts, now: Counts): Counts {
  const known = modelCounts.filter((name) => now[name] !== undefined)
  return Object.fromEntries(
    known.map((name) => [name, Math.max(0, (now[name] ?? 0) - (before[name] ?? 0))]),
  )
}

/** A name that holds a secret is none of a model any more: its tokens stay in the total. */
export function maskedModels(
  models: readonly ModelUsage[],
  mask: (text: string) => string,
): readonly ModelUsage[] {
  return models.filter(({ model }) => mask(model) === model)
}
