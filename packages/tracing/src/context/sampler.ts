import type { SpanContext } from './span-context.ts'

/** Whether a trace is kept. */
export type Sampler = (traceId: string, parent: SpanContext | undefined) => boolean

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerName = (typeof SAMPLERS)[number]

/** The samplers of OpenTelemetry, by their names there. */
export function samplerOf(name: SamplerName, ratio: number): Sampler {
  const isBelowParent = name.startsWith('parentbased_')
  const atRoot = rootSampler(name.replace(/^parentbased_/, ''), ratio)
  return (traceId, parent) =>
    isBelowParent && parent !== undefined ? parent.isSampled : atRoot(traceId)
}

function rootSampler(name: string, ratio: number): (traceId: string) => boolean {
  if (name === 'always_off') return () => false
  return name === 'always_on' ? () => true : ratioSampler(ratio)
}

/** The last 56 bits of a trace id are random by W3C's rules, also in a uid, which has fixed bits further in front. */
const RANDOM_DIGITS = 14
const RANDOM_RANGE = 2 ** 56

/** Of the id alone, so that every process decides alike; what a smaller ratio keeps, a larger one keeps too. */
function ratioSampler(ratio: number): (traceId: string) => boolean {
  const threshold = BigInt(Math.round((1 - ratio) * RANDOM_RANGE))
  return (traceId) => BigInt(`0x${traceId.slice(-RANDOM_DIGITS)}`) >= threshold
}
