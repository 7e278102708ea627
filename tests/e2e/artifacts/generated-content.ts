import { createHash } from 'node:crypto'
import type { Content, ContentAddress } from '@agents/artifact-store'

const blockSize = 64 * 1024

/** Content of any size that differs by its seed and takes no memory. */
export function generatedContent(seed: string, sizeBytes: number): Content {
  return { sizeBytes, body: blocksOf(seed, sizeBytes) }
}

export async function addressOfGenerated(
  namespace: string,
  seed: string,
  sizeBytes: number,
): Promise<ContentAddress> {
  const hash = createHash('sha256')
  for await (const block of blocksOf(seed, sizeBytes)) hash.update(block)
  return { namespace, digest: hash.digest('hex') }
}

async function* blocksOf(seed: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const text = createHash('sha256').update(seed).digest('hex')
  const block = Buffer.alloc(blockSize, text)
  for (let at = 0; at < sizeBytes; at += blockSize) {
    // Each block differs, so that a store that mixes up parts is found out.
    block.writeDoubleBE(at, 0)
    yield Buffer.from(block.subarray(0, Math.min(blockSize, sizeBytes - at)))
  }
}

/** How much content has, without keeping it. Fails as reading it does. */
export async function readThrough(content: Content | undefined): Promise<number> {
  let count = 0
  for await (const piece of content?.body ?? []) count += piece.length
  return count
}
