import { ForgeError } from '../forge-error.ts'

/** A list of a hundred pull requests with long descriptions has less. */
const largestBodyBytes = 8 * 1024 * 1024

/** Reads a response up to a limit, whatever it says about its length. */
export async function boundedBody({ body, status }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > largestBodyBytes) {
      const message = `the response of the API is larger than ${largestBodyBytes} bytes`
      throw new ForgeError('garbled', message, { status })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
