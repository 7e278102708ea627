const newline = 0x0a

/** Splits a stream of bytes into the parts that it consists of. */
export interface StreamSplitter {
  /** The parts that this chunk completes. Throws RangeError on a part that is too long. */
  push(chunk: Buffer): Buffer[]
  /** Bytes of a part that is not complete yet. */
  readonly pending: number
}

/** Splits at newlines, which are removed. A chunk may end inside a character. */
export function createLineSplitter(maxLineBytes: number): StreamSplitter {
  let parts: Buffer[] = []
  let pending = 0

  const keep = (part: Buffer): void => {
    if (part.length === 0) return
    pending += part.length
    if (pending > maxLineBytes) throw new RangeError(`a line of more than ${maxLineBytes} bytes`)
    parts.push(part)
  }
  const finish = (last: Buffer): Buffer => {
    if (parts.length === 0 && last.length <= maxLineBytes) return last
    keep(last)
    const line = Buffer.concat(parts, pending)
    parts = []
    pending = 0
    return line
  }
  return {
    push: (chunk) => {
      const lines: Buffer[] = []
      let start = 0
      for (;;) {
        const end = chunk.indexOf(newline, start)
        if (end === -1) break
        lines.push(finish(chunk.subarray(start, end)))
        start = end + 1
      }
      keep(chunk.subarray(start))
      return lines
    },
    get pending() {
      return pending
    },
  }
}
