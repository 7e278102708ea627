import { createHash } from 'node:crypto'
import type { Content } from '../artifact-store.ts'
import type { ContentAddress } from '../content-address.ts'

/** The address of some bytes in a namespace. */
export function addressOf(bytes: Uint8Array | string, namespace = 'team-a'): ContentAddress {
  return { namespace, digest: createHash('sha256').update(bytes).digest('hex') }
}

/** Content that arrives in pieces. */
export function contentOf(text: string, pieces = 3): Content {
  const bytes = Buffer.from(text)
  const step = Math.max(1, Math.ceil(bytes.length / pieces))
  return {
    sizeBytes: bytes.length,
    body: (async function* () {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
    })(),
  }
}

export async function textOf(content: Content | undefined): Promise<string | undefined> {
  if (content === undefined) return undefined
  const pieces: Uint8Array[] = []
  for await (const piece of content.body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
