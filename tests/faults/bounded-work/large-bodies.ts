import type { Random } from '../fuzz/random.ts'
import { objects } from './large-objects.ts'
import { patches } from './large-patches.ts'
import type { LargeRequest, Make } from './large-request.ts'
import { schemas } from './large-schemas.ts'
import { raw, selectors } from './large-texts.ts'

const bodyLimit = 3 * 1024 * 1024

/** The size of a request, in values. */
type BodySize = 'usual' | 'largest'

/**
 * A random request: usually small, because small bodies reach most of the server, otherwise up to the size limit of
 * request bodies.
 */
export function largeRequest(random: Random, size: BodySize): LargeRequest {
  const [least, most] = size === 'largest' ? largestSizes : random.pick(usualSizes)
  const n = Math.round(least * (most / least) ** (random.integer(1_000) / 1_000))
  const request = random.pick(makers)(n, random)
  return { ...request, body: request.body.subarray(0, bodyLimit) }
}

type Range = readonly [least: number, most: number]

const largestSizes: Range = [30_000, 1_500_000]
const usualSizes: readonly [Range, ...Range[]] = [
  [1, 1_000],
  ...Array.from({ length: 59 }, (): Range => [1, 1_000]),
  ...Array.from({ length: 8 }, (): Range => [1_000, 2_000]),
  [2_000, 30_000],
]

const makers = [
  ...[...objects, ...schemas, ...patches],
  // Weighted, because each of these makers generates many different texts.
  ...[...raw, ...raw, ...raw],
  ...selectors,
] as [Make, ...Make[]]
