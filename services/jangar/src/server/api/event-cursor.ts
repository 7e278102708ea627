import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const positionBytes = 6
const tagBytes = 16
const form = /^[\w-]{46}$/

/**
 * Writes positions so that only this process can read them: the numbers count changes in all namespaces, also in those
 * that a reader may not see. Two cursors of one position differ, so that none shows whether something changed.
 */
export class EventCursors {
  /** Positions are those of one process: another one has seen other changes in another order. */
  readonly #key = randomBytes(32)

  write(position: number): string {
    const nonce = randomBytes(nonceBytes)
    const plain = Buffer.alloc(positionBytes)
    plain.writeUIntBE(position, 0, positionBytes)
    const cipher = createCipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes })
    const hidden = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([nonce, hidden, cipher.getAuthTag()]).toString('base64url')
  }

  /** Undefined if this process did not write it. */
  read(cursor: string): number | undefined {
    if (!form.test(cursor)) return undefined
    const bytes = Buffer.from(cursor, 'base64url')
    const nonce = bytes.subarray(0, nonceBytes)
    const hidden = bytes.subarray(nonceBytes, nonceBytes + positionBytes)
    const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes })
    decipher.setAuthTag(bytes.subarray(nonceBytes + positionBytes))
    try {
      const plain = Buffer.concat([decipher.update(hidden), decipher.final()])
      return plain.readUIntBE(0, positionBytes)
    } catch {
      return undefined
    }
  }
}
