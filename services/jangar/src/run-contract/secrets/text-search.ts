/** A part of a text: from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds all occurrences of many words in one pass (Aho-Corasick). Building takes time and memory in proportion to the
 * length of all words together, and a search in proportion to the length of the text, whatever the words and the text
 * are. A regular expression has neither property, and V8 repeats the whole pattern in the error for one that is too
 * large.
 */
export class TextSearch {
  // The trie: one node per prefix of a word, node 0 is the empty prefix. All edges are in one hash table of child
  // nodes.
  readonly #parent: Int32Array
  readonly #unit: Uint16Array
  readonly #edges: Int32Array
  readonly #shift: number
  /** The node of the longest proper suffix that is a prefix of some word. */
  readonly #fallback: Int32Array
  /** Length of the longest word that ends at the node, 0 if there is none. */
  readonly #found: Int32Array
  #nodes = 1

  constructor(words: readonly string[]) {
    const most = words.reduce((sum, { length }) => sum + length, 1)
    const bits = Math.ceil(Math.log2(most * 2)) + 1
    this.#parent = new Int32Array(most)
    this.#unit = new Uint16Array(most)
    this.#edges = new Int32Array(2 ** bits)
    this.#shift = 32 - bits
    this.#fallback = new Int32Array(most)
    this.#found = new Int32Array(most)
    const levels = this.#insert(words)
    this.#link(levels)
  }

  /** The occurrences, in order; those that touch or overlap are one. */
  spans(text: string): Span[] {
    const spans: Span[] = []
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      node = this.#next(node, text.charCodeAt(at))
      const length = this.#found[node] as number
      if (length === 0) continue
      const end = at + 1
      let start = end - length
      for (let last = spans.at(-1); last !== undefined && last.end >= start; last = spans.at(-1)) {
        start = Math.min(start, last.start)
        spans.pop()
      }
      spans.push({ start, end })
    }
    return spans
  }

  /** Whether one of the words occurs in the text. */
  matches(text: string): boolean {
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      node = this.#next(node, text.charCodeAt(at))
      if (this.#found[node] !== 0) return true
    }
    return false
  }

  /** Returns all nodes, ordered by the length of their prefix. */
  #insert(words: readonly string[]): Int32Array {
    const depths = new Int32Array(this.#parent.length)
    let deepest = 0
    for (const word of words) {
      let node = 0
      for (let at = 0; at < word.length; at += 1) {
        const unit = word.charCodeAt(at)
        node = this.#child(node, unit) || this.#add(node, unit)
        depths[node] = at + 1
      }
      this.#found[node] = word.length
      deepest = Math.max(deepest, word.length)
    }
    // Counting sort.
    const starts = new Int32Array(deepest + 2)
    for (let node = 0; node < this.#nodes; node += 1) {
      const after = (depths[node] as number) + 1
      starts[after] = (starts[after] as number) + 1
    }
    for (let depth = 1; depth < starts.length; depth += 1) {
      starts[depth] = (starts[depth] as number) + (starts[depth - 1] as number)
    }
    const ordered = new Int32Array(this.#nodes)
    for (let node = 0; node < this.#nodes; node += 1) {
      const depth = depths[node] as number
      const place = starts[depth] as number
      ordered[place] = node
      starts[depth] = place + 1
    }
    return ordered
  }

  #link(ordered: Int32Array): void {
    for (const node of ordered) {
      const parent = this.#parent[node] as number
      if (parent === 0) continue
      const fallback = this.#next(this.#fallback[parent] as number, this.#unit[node] as number)
      this.#fallback[node] = fallback
      if (this.#found[node] === 0) this.#found[node] = this.#found[fallback] as number
    }
  }

  #next(from: number, unit: number): number {
    for (let node = from; ; node = this.#fallback[node] as number) {
      const child = this.#child(node, unit)
      if (child !== 0 || node === 0) return child
    }
  }

  #add(parent: number, unit: number): number {
    const node = this.#nodes
    this.#nodes += 1
    this.#parent[node] = parent
    this.#unit[node] = unit
    this.#edges[this.#slot(parent, unit)] = node
    return node
  }

  /** 0 if there is none. */
  #child(parent: number, unit: number): number {
    return this.#edges[this.#slot(parent, unit)] as number
  }

  /** Where the edge is, or where it would be. */
  #slot(parent: number, unit: number): number {
    const mask = this.#edges.length - 1
    const mixed = Math.imul(Math.imul(parent, 0x9e3779b1) ^ (unit + 1), 0x85ebca6b)
    let slot = (mixed ^ (mixed >>> 15)) >>> 0
    slot = Math.imul(slot, 0x2c1b3c6d) >>> this.#shift
    for (; ; slot = (slot + 1) & mask) {
      const node = this.#edges[slot] as number
      if (node === 0 || (this.#parent[node] === parent && this.#unit[node] === unit)) return slot
    }
  }
}
