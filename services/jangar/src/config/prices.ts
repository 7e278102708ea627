import { json, type Reader } from '@agents/config'

/** Dollars per million tokens. */
interface Price {
  readonly input: number
  readonly output: number
  /** If omitted, that of other input. */
  readonly cachedInput?: number
}

export type PriceTable = Readonly<Record<string, Price>>

const expected =
  'an object whose keys are patterns of models, and whose values have the numbers input, output and, optionally, cachedInput'

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1_000_000
}

function isPrice(value: unknown): value is Price {
  if (typeof value !== 'object' || value === null) return false
  const { input, output, cachedInput = 0, ...others } = value as Record<string, unknown>
  const areAmounts = isAmount(input) && isAmount(output) && isAmount(cachedInput)
  return areAmounts && Object.keys(others).length === 0
}

const priceTable: Reader<PriceTable> = {
  expected,
  read: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false }
    const wrong = Object.entries(value).find(([, price]) => !isPrice(price))
    if (wrong !== undefined) {
      return { ok: false, detail: `the price of ${JSON.stringify(wrong[0])} is not one` }
    }
    return { ok: true, value: value as PriceTable }
  },
}

/** What models cost, for the dollars of Budgets. */
export const budgets = {
  prices: json('JANGAR_BUDGET_PRICES', priceTable, {
    doc: 'Dollars per million tokens by model, with * as a wildcard; the longest pattern that fits counts. Each has input, output and, optionally, cachedInput. Tokens of other models count in no dollars.',
    chart: 'supportingController.budgets.prices',
    fallback: {},
  }),
}
