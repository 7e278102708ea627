/** Numbers that look random and are the same for the same seed, so that a finding can be found again. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Below `limit`. */
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
