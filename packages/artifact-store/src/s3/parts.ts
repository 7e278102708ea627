const mebibyte = 1024 * 1024
const smallestPart = 8 * mebibyte
/** S3 takes 10,000. */
const mostParts = 9_000

/** Large enough that S3 takes all parts of the content. */
export function partSizeOf(sizeBytes: number): number {
  return Math.max(smallestPart, Math.ceil(sizeBytes / mostParts / mebibyte) * mebibyte)
}

/** The same bytes in parts of one size; the last is smaller. Empty content has one part. */
export async function* partsOf(
  body: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const partSize = partSizeOf(sizeBytes)
  let left = sizeBytes
  let part = new Uint8Array(Math.min(partSize, left))
  let filled = 0
  for await (const piece of body) {
    for (let at = 0; at < piece.length; ) {
      if (filled === part.length) {
        yield part
        left -= part.length
        part = new Uint8Array(Math.min(partSize, left))
        filled = 0
      }
      const taken = piece.subarray(at, at + part.length - filled)
      part.set(taken, filled)
      filled += taken.length
      at += taken.length
    }
  }
  yield part
}
