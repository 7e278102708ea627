/** Roughly how many writes there were within the last second. */
export class WriteRate {
  #second = 0
  #writes = 0
  #before = 0

  count(now: Date): void {
    this.#advanceTo(now)
    this.#writes += 1
  }

  perSecond(now: Date): number {
    this.#advanceTo(now)
    const past = (now.getTime() % 1000) / 1000
    return this.#writes + this.#before * (1 - past)
  }

  #advanceTo(now: Date): void {
    const second = Math.floor(now.getTime() / 1000)
    if (second === this.#second) return
    this.#before = second === this.#second + 1 ? this.#writes : 0
    this.#writes = 0
    this.#second = second
  }
}
