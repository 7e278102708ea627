import { matchesWildcard } from '@agents/patterns'
import type { PriceTable } from '../../config/prices.ts'

/** Tokens of one model. Cached ones are part of the input. */
interface ModelTokens {
  readonly input: number
  readonly cachedInput: number
  readonly output: number
}

/** Prices by pattern of the model's name; the longest pattern that fits counts. */
export class Prices {
  readonly #table: PriceTable
  readonly #patterns: readonly string[]
  readonly #found = new Map<string, string | undefined>()

  constructor(table: PriceTable) {
    this.#table = table
    this.#patterns = Object.keys(table).toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
  }

  /** In millionths of a dollar, rounded up. Undefined if the model has no price. */
  costOf(
    model: string | undefined,
    { input, cachedInput, output }: ModelTokens,
  ): number | undefined {
    const pattern = model === undefined ? undefined : this.#patternOf(model)
    const price = pattern === undefined ? undefined : this.#table[pattern]
    if (price === undefined) return undefined
    const cached = Math.min(cachedInput, input)
    // Dollars per million tokens are millionths of a dollar per token.
    const micro =
      (input - cached) * price.input +
      cached * (price.cachedInput ?? price.input) +
      output * price.output
    return Math.min(Math.ceil(micro), Number.MAX_SAFE_INTEGER)
  }

  #patternOf(model: string): string | undefined {
    if (this.#found.has(model)) return this.#found.get(model)
    const pattern = this.#patterns.find((one) => matchesWildcard(one, model))
    // Whoever creates runs chooses the names of models.
    if (this.#found.size >= mostRemembered) this.#found.clear()
    this.#found.set(model, pattern)
    return pattern
  }
}

const mostRemembered = 1000
