import { optional, type Reader, record } from '../reader/reader.ts'

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
}

const amount: Reader<number> = {
  read(value, path, problems) {
    if (!isTokenCount(value)) problems.push({ path, message: 'must be a whole number, 0 or more' })
    return value as number
  },
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
  }),
)

export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

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
  }
}

/** Fills in the total where only its parts are known. */
export function withTotal(usage: Usage): Usage {
  const { inputTokens, outputTokens, totalTokens } = usage
  if (totalTokens !== undefined) return usage
  if (inputTokens === undefined && outputTokens === undefined) return usage
  return { ...usage, totalTokens: sumOf(inputTokens, outputTokens) }
}

/** Never more than a reader accepts as a count. */
export function sumOf(...amounts: readonly (number | undefined)[]): number {
  const sum = amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0)
  return Math.min(sum, Number.MAX_SAFE_INTEGER)
}
