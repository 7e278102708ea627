import { expect, test } from 'vitest'
import { createSecretMask } from './secret-mask.ts'
import { linesOfKey } from './testing/lines-of-key.ts'

// One secret against the same length in pieces: linear gives about 1, quadratic about 16.
test.each([
  { because: 'random lines', of: linesOfKey },
  { because: 'one character', of: (size: number) => 'a'.repeat(size) },
  { because: 'almost one character', of: (size: number) => `${'a'.repeat(size - 1)}b` },
  { because: 'a setting of white space', of: (size: number) => `a:${' '.repeat(size)}\u2028end` },
])('large secrets take time in proportion to their length: $because', ({ of }) => {
  const [whole, piece, huge] = [of(4000), of(250), of(1_000_000)]
  const text = 'a'.repeat(2000)
  const large = fastest(() => createSecretMask([whole])(text))
  const small = fastest(() => {
    for (let round = 0; round < 16; round += 1) createSecretMask([piece])(text)
  })
  expect(large / small).toBeLessThan(8)
  // Beyond the bound a secret costs less than the largest that is searched for.
  expect(fastest(() => createSecretMask([huge])(text))).toBeLessThan(large + small)
})

/** In CPU time of this thread: neither other programs nor the collector and the compiler of V8 are in it. */
function fastest(work: () => unknown): number {
  return Math.min(...Array.from({ length: 3 }, () => timeOf(work)))
}

/** Repeats the work until its time is many ticks of the clock, of which one may be several milliseconds. */
function timeOf(work: () => unknown): number {
  for (let rounds = 1; ; rounds *= 2) {
    const start = process.threadCpuUsage()
    for (let round = 0; round < rounds; round += 1) work()
    const { user, system } = process.threadCpuUsage(start)
    if (user + system >= 40_000) return (user + system) / rounds
  }
}
