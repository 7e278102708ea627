/** What is kept of an event. */
interface Kept {
  /** The position before it. Positions grow, and may leave gaps. */
  readonly position: number
  readonly text: string
}

/** The last events of one sort, as many as there is room for. */
export class KeptEvents<T extends Kept> {
  readonly #capacity: number
  readonly #mostCharacters: number
  readonly #kept: (T | undefined)[] = []
  #characters = 0
  #start = 0
  #end = 0
  #forgotten = 0

  constructor(capacity: number, mostCharacters: number) {
    this.#capacity = capacity
    this.#mostCharacters = mostCharacters
  }

  append(event: T): void {
    if (this.#end - this.#start === this.#capacity) this.#forget()
    this.#kept[this.#end % this.#capacity] = event
    this.#end += 1
    this.#characters += event.text.length
    while (this.#characters > this.#mostCharacters && this.#end - this.#start > 1) this.#forget()
  }

  /** Whether all events after the position are still kept. */
  isKept(position: number): boolean {
    return position >= this.#forgotten
  }

  /** The first that is kept after the position. */
  after(position: number): T | undefined {
    let [low, high] = [this.#start, this.#end]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#at(middle)?.position ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low < this.#end ? this.#at(low) : undefined
  }

  #at(index: number): T | undefined {
    return this.#kept[index % this.#capacity]
  }

  #forget(): void {
    const oldest = this.#at(this.#start)
    this.#kept[this.#start % this.#capacity] = undefined
    this.#start += 1
    if (oldest === undefined) return
    this.#characters -= oldest.text.length
    this.#forgotten = oldest.position + 1
  }
}
