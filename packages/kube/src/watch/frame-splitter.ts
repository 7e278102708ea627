import type { StreamSplitter } from './line-splitter.ts'

const prefixBytes = 4

/** Splits a stream of bytes into frames, each after its length in four bytes. */
export function createFrameSplitter(maxFrameBytes: number): StreamSplitter {
  let parts: Buffer[] = []
  let pending = 0
  /** Bytes until which nothing can be completed. */
  let needed = prefixBytes

  return {
    push: (chunk) => {
      pending += chunk.length
      parts.push(chunk)
      if (pending < needed) return []
      const all = parts.length === 1 ? chunk : Buffer.concat(parts, pending)
      const frames: Buffer[] = []
      let at = 0
      needed = prefixBytes
      while (all.length - at >= prefixBytes) {
        const length = all.readUInt32BE(at)
        if (length > maxFrameBytes)
          throw new RangeError(`a frame of more than ${maxFrameBytes} bytes`)
        needed = prefixBytes + length
        if (all.length - at < needed) break
        frames.push(all.subarray(at + prefixBytes, at + needed))
        at += needed
        needed = prefixBytes
      }
      const rest = all.subarray(at)
      parts = rest.length === 0 ? [] : [rest]
      pending = rest.length
      return frames
    },
    get pending() {
      return pending
    },
  }
}
