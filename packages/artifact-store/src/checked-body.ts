import { createHash } from 'node:crypto'
import { StoreError } from './store-error.ts'

interface Expected {
  readonly digest: string
  readonly sizeBytes: number
}

/** Bytes that somebody sends are wrong or cease; those of the store are corrupted or cannot be read. */
type Origin = 'sender' | 'store'

const mismatchOf = { sender: 'ContentMismatch', store: 'Corrupted' } as const
const failureOf = { sender: 'Interrupted', store: 'Unavailable' } as const

/**
 * The same bytes, in the same pieces, which fail instead of ending when they are not what is expected. The last piece
 * is held back until all are checked, so that nobody takes wrong content for whole.
 */
export async function* checkedBody(
  body: AsyncIterable<Uint8Array>,
  { digest, sizeBytes }: Expected,
  origin: Origin,
): AsyncGenerator<Uint8Array> {
  const reason = mismatchOf[origin]
  const hash = createHash('sha256')
  let count = 0
  let held: Uint8Array | undefined
  for await (const piece of namedFailure(body, origin)) {
    count += piece.length
    if (count > sizeBytes) {
      throw new StoreError(reason, `the content has more than its ${sizeBytes} bytes`)
    }
    hash.update(piece)
    if (held !== undefined) yield held
    held = piece
  }
  if (count !== sizeBytes) {
    throw new StoreError(reason, `the content has ${count} bytes instead of ${sizeBytes}`)
  }
  const actual = hash.digest('hex')
  if (actual !== digest) {
    throw new StoreError(reason, `the content has the SHA-256 ${actual} instead of ${digest}`)
  }
  if (held !== undefined) yield held
}

async function* namedFailure(
  body: AsyncIterable<Uint8Array>,
  origin: Origin,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw cause instanceof StoreError ? cause : ceased(origin, cause)
  }
}

function ceased(origin: Origin, cause: unknown): StoreError {
  return new StoreError(failureOf[origin], 'the content ceased before its end', { cause })
}
