import type { SpanContext } from './span-context.ts'

/** Decides whether a trace is sampled. */
export type Sampler = (traceId: string, parent: SpanContext | undefined) => boolean

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerName = (typeof samplerNames)[number]

/** Creates a sampler of OpenTelemetry by its standard name. */
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

/** The last 56 bits of a trace id are random as W3C requires, also in a uid, whose fixed bits are before them. */
const randomDigits = 14
const randomRange = 2 ** 56

/** Uses the id only, so that all processes agree. A larger ratio samples everything that a smaller one does. */
function ratioSampler(ratio: number): (traceId: string) => boolean {
  const threshold = BigInt(Math.round((1 - ratio) * randomRange))
  return (traceId) => BigInt(`0x${traceId.slice(-randomDigits)}`) >= threshold
}
