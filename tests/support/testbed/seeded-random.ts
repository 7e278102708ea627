import { onTestFailed } from 'vitest'

/**
 * Numbers from 0 up to, but not including, 1: the same in each run of the test, so that a finding can be reproduced.
 * `TEST_SEED` selects others. A test that fails says what its seed was.
 */
export function seededRandom(): () => number {
  const seed = Number(process.env.TEST_SEED ?? 1)
  onTestFailed(() => void process.stderr.write(`the test failed with TEST_SEED=${seed}\n`))
  // An additive sequence, well mixed.
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
