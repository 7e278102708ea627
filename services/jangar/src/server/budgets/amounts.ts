import {
  formatQuantity,
  parseQuantity,
  QuantityError,
  quantityFromInteger,
  quantityMilliValue,
} from '@agents/kube'

/** What a Budget limits. Tokens and dollars are used up; the others are held by active runs. */
export const modelResources = ['tokens', 'dollars'] as const
export const computeResources = ['cpu', 'memory', 'gpu'] as const
const resources = [...modelResources, ...computeResources] as const

export type ModelResource = (typeof modelResources)[number]
export type ComputeResource = (typeof computeResources)[number]
export type Resource = (typeof resources)[number]

/**
 * Whole numbers of the smallest unit: tokens, millionths of a dollar, and thousandths of cores, bytes and GPUs. All are
 * safe integers, so that sums are exact in any order.
 */
export type Amounts = Readonly<Partial<Record<Resource, number>>>

interface ReadAmounts {
  readonly amounts: Amounts
  /** The first field that cannot be read, and why. */
  readonly problem?: { readonly field: string; readonly message: string }
}

/** Reads the fields of limits, or of a reservation if only `known` resources make sense. */
export function readAmounts(
  fields: Readonly<Record<string, unknown>> | undefined,
  known: readonly Resource[] = resources,
): ReadAmounts {
  const amounts: Partial<Record<Resource, number>> = {}
  for (const [name, value] of Object.entries(fields ?? {})) {
    const resource = known.find((one) => one === name)
    if (resource === undefined) {
      const message = `is not a resource that can be limited; use ${known.join(', ')}`
      return { amounts, problem: { field: name, message } }
    }
    if (value === undefined) continue
    const amount = readAmount(resource, String(value))
    if (amount === undefined) {
      const message = `${JSON.stringify(value)} is not ${expected(resource)}`
      return { amounts, problem: { field: name, message } }
    }
    amounts[resource] = amount
  }
  return { amounts }
}

function readAmount(resource: Resource, text: string): number | undefined {
  if (resource === 'tokens') return /^\d{1,15}$/.test(text) ? Number(text) : undefined
  if (resource === 'dollars') return microDollars(text)
  try {
    const milli = Number(quantityMilliValue(parseQuantity(text)))
    return milli >= 0 && Number.isSafeInteger(milli) ? milli : undefined
  } catch (error) {
    if (error instanceof QuantityError) return undefined
    throw error
  }
}

/** Undefined if the text is not a decimal number; more than six places are rounded up, so that nothing is free. */
function microDollars(text: string): number | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,9})(?:\.(\d{1,12}))?$/.exec(text) ?? []
  if (whole === '') return undefined
  const digits = fraction.padEnd(12, '0')
  const rounded = Number(digits.slice(0, 6)) + (Number(digits.slice(6)) > 0 ? 1 : 0)
  return Number(whole) * 1_000_000 + rounded
}

function expected(resource: Resource): string {
  if (resource === 'tokens') return 'a whole number, 0 or more'
  if (resource === 'dollars') return 'a decimal number such as 25.00, 0 or more'
  return 'a Kubernetes quantity such as 500m or 2Gi, 0 or more'
}

/** As it is written in a status. */
export function formatAmount(resource: Resource, amount: number): string {
  if (resource === 'tokens') return `${amount}`
  if (resource === 'dollars') return formatDollars(amount)
  const format = resource === 'memory' ? 'BinarySI' : 'DecimalSI'
  const whole = quantityFromInteger(BigInt(Math.round(amount)), format)
  if (amount % 1000 !== 0) return formatQuantity({ ...whole, exponent: -3, format: 'DecimalSI' })
  return formatQuantity(quantityFromInteger(BigInt(amount / 1000), format))
}

/** With two places at least. */
function formatDollars(micro: number): string {
  const whole = Math.floor(micro / 1_000_000)
  const fraction = `${micro % 1_000_000}`.padStart(6, '0').replace(/0{1,4}$/, '')
  return `${whole}.${fraction}`
}

/** Requests of a container, in the units of `Amounts`. An amount that is missing or invalid is 0. */
export function computeAmounts(requests: Readonly<Record<string, unknown>> | undefined): Amounts {
  const gpus = Object.entries(requests ?? {}).filter(([name]) => name.endsWith('/gpu'))
  const sum = gpus.reduce((total, [, value]) => total + (readAmount('gpu', `${value}`) ?? 0), 0)
  return {
    cpu: readAmount('cpu', `${requests?.cpu ?? 0}`) ?? 0,
    memory: readAmount('memory', `${requests?.memory ?? 0}`) ?? 0,
    gpu: sum,
  }
}
