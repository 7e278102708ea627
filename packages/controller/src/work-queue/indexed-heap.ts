/** An entry that knows its index, so that it can be removed without a search. */
export interface HeapEntry {
  /** Kept by the heap; -1 outside. */
  position: number
}

/** A binary heap whose entries can be removed from anywhere. */
export class IndexedHeap<T extends HeapEntry> {
  readonly #entries: T[] = []
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#entries.length
  }

  peek(): T | undefined {
    return this.#entries[0]
  }

  push(entry: T): void {
    this.#place(entry, this.#entries.length)
    this.#up(entry)
  }

  pop(): T | undefined {
    const first = this.#entries[0]
    if (first) this.remove(first)
    return first
  }

  remove(entry: T): void {
    const { position } = entry
    if (this.#entries[position] !== entry) return
    const last = this.#entries.pop()
    entry.position = -1
    if (!last || last === entry) return
    this.#place(last, position)
    this.#up(last)
    this.#down(last)
  }

  clear(): void {
    for (const entry of this.#entries) entry.position = -1
    this.#entries.length = 0
  }

  #up(entry: T): void {
    while (entry.position > 0) {
      const at = entry.position
      const parent = this.#entries[(at - 1) >> 1]
      if (!parent || !this.#before(entry, parent)) return
      this.#place(entry, parent.position)
      this.#place(parent, at)
    }
  }

  #down(entry: T): void {
    for (;;) {
      const at = entry.position
      const left = this.#entries[2 * at + 1]
      const right = this.#entries[2 * at + 2]
      const child = left && right && this.#before(right, left) ? right : left
      if (!child || !this.#before(child, entry)) return
      this.#place(entry, child.position)
      this.#place(child, at)
    }
  }

  #place(entry: T, position: number): void {
    this.#entries[position] = entry
    entry.position = position
  }
}
