/** Roughly how many statuses changed within the last second. */
export class ChangeRate {
  #second = 0
  #changes = 0
  #before = 0

  count(now: Date): void {
    this.#advanceTo(now)
    this.#changes += 1
  }

  perSecond(now: Date): number {
    this.#advanceTo(now)
    const past = (now.getTime() % 1000) / 1000
    return this.#changes + this.#before * (1 - past)
  }

  #advanceTo(now: Date): void {
    const second = Math.floor(now.getTime() / 1000)
    if (second === this.#second) return
    this.#before = second === this.#second + 1 ? this.#changes : 0
    this.#changes = 0
    this.#second = second
  }
}
