interface SlotLimits {
  readonly total: number
  /** Most tasks of one group at a time, so that a slow group leaves slots for the others. */
  readonly perGroup: number
}

/**
 * Limits how many tasks run at once, in total and per group. Tasks start in the order of their calls, except that a
 * group at its limit is passed over.
 */
export class FairSlots {
  readonly #limits: SlotLimits
  readonly #running = new Map<string, number>()
  readonly #queue: { readonly group: string; readonly start: () => void }[] = []
  #total = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  async run<T>(group: string, task: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#queue.push({ group, start })
      this.#startNext()
    })
    try {
      return await task()
    } finally {
      this.#total -= 1
      const left = (this.#running.get(group) ?? 1) - 1
      if (left === 0) this.#running.delete(group)
      else this.#running.set(group, left)
      this.#startNext()
    }
  }

  #startNext(): void {
    if (this.#total >= this.#limits.total) return
    const index = this.#queue.findIndex(
      ({ group }) => (this.#running.get(group) ?? 0) < this.#limits.perGroup,
    )
    const [next] = index === -1 ? [] : this.#queue.splice(index, 1)
    if (next === undefined) return
    this.#total += 1
    this.#running.set(next.group, (this.#running.get(next.group) ?? 0) + 1)
    next.start()
  }
}
