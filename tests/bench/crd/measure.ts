/** Operations per second: the median round, the slowest and the fastest. */
export interface Measured {
  readonly median: number
  readonly low: number
  readonly high: number
}

const warmUpMs = 500
const roundMs = 100
const roundCount = 21

/** Runs the candidates in turn, round after round, and returns how fast each was. */
export function measureAlternately(candidates: readonly (() => void)[]): Measured[] {
  for (const candidate of candidates) repeatFor(candidate, warmUpMs)
  const rates: number[][] = candidates.map(() => [])
  for (let round = 0; round < roundCount; round += 1) {
    for (const [index, candidate] of candidates.entries()) {
      globalThis.gc?.()
      rates[index]?.push(repeatFor(candidate, roundMs))
    }
  }
  return rates.map((rounds) => {
    const sorted = rounds.sort((a, b) => a - b)
    return { median: sorted[roundCount >> 1] ?? 0, low: sorted[0] ?? 0, high: sorted.at(-1) ?? 0 }
  })
}

/** Operations per second over about this time; the clock is read once in a hundred. */
function repeatFor(operation: () => void, milliseconds: number): number {
  const start = performance.now()
  let count = 0
  for (;;) {
    for (let index = 0; index < 100; index += 1) operation()
    count += 100
    const elapsed = performance.now() - start
    if (elapsed >= milliseconds) return (count / elapsed) * 1000
  }
}
