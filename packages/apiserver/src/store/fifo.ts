/** A queue with indexed access and constant-time push and shift. An array would move all elements on shift. */
export class Fifo<T> {
  #slots: (T | undefined)[] = new Array(16)
  #head = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#grow()
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = item
    this.#length++
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined
    const item = this.#slots[this.#head]
    this.#slots[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#slots.length - 1)
    this.#length--
    return item
  }

  /** `index` counts from the oldest. */
  at(index: number): T | undefined {
    if (index < 0 || index >= this.#length) return undefined
    return this.#slots[(this.#head + index) & (this.#slots.length - 1)]
  }

  // The number of slots stays a power of two so that an index wraps with a mask.
  #grow(): void {
    const slots: (T | undefined)[] = new Array(this.#slots.length * 2)
    for (let i = 0; i < this.#length; i++) slots[i] = this.at(i)
    this.#slots = slots
    this.#head = 0
  }
}
