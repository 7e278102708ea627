/** A seeded pseudo-random generator, so that a finding can be reproduced. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** An integer from 0 to `limit` - 1. */
  integer(limit: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  chance(share: number): boolean {
    return this.integer(1_000_000) < share * 1_000_000
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(values.length)] ?? values[0]
  }
}
