const chunkLimit = 512

/**
 * A sorted set of keys in chunks of a few hundred, so that an insertion among 100,000 keys moves one chunk only.
 */
export class SortedKeys {
  // Never holds an empty chunk.
  readonly #chunks: string[][] = []

  add(key: string): void {
    const at = this.#chunkFor(key)
    const chunk = this.#chunks[at]
    if (chunk === undefined) {
      this.#append(key)
      return
    }
    const index = lowerBound(chunk, key)
    if (chunk[index] === key) return
    chunk.splice(index, 0, key)
    if (chunk.length > chunkLimit) this.#chunks.splice(at + 1, 0, chunk.splice(chunkLimit / 2))
  }

  delete(key: string): void {
    const at = this.#chunkFor(key)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return
    const index = lowerBound(chunk, key)
    if (chunk[index] !== key) return
    chunk.splice(index, 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  /** The keys from `from` on, in order. Invalid after a change. */
  *from(from: string): Generator<string, undefined> {
    let at = this.#chunkFor(from)
    let chunk = this.#chunks[at]
    let index = chunk === undefined ? 0 : lowerBound(chunk, from)
    while (chunk !== undefined) {
      for (; index < chunk.length; index++) yield chunk[index] as string
      chunk = this.#chunks[++at]
      index = 0
    }
  }

  /** How many keys sort below `key`. */
  rank(key: string): number {
    const at = this.#chunkFor(key)
    let rank = 0
    for (let i = 0; i < at; i++) rank += this.#chunks[i]?.length ?? 0
    const chunk = this.#chunks[at]
    return chunk === undefined ? rank : rank + lowerBound(chunk, key)
  }

  // A key above all others is added to the last chunk.
  #append(key: string): void {
    const last = this.#chunks.at(-1)
    if (last === undefined || last.length >= chunkLimit) this.#chunks.push([key])
    else last.push(key)
  }

  // The first chunk whose last key is not below `key`, or the number of chunks.
  #chunkFor(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const last = this.#chunks[middle]?.at(-1)
      if (last !== undefined && last < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
