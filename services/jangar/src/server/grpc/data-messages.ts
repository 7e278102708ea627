/** By default, gRPC clients reject messages larger than 4 MiB. */
const largestPiece = 1024 * 1024

/** The bytes of a stream as messages that every client takes. */
export async function* dataMessages(
  chunks: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<{ data: Uint8Array<ArrayBuffer> }, void> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk)
    for (let at = 0; at < bytes.length; at += largestPiece) {
      yield { data: bytes.subarray(at, at + largestPiece) }
    }
  }
}
