import { objectId } from '@agents/git'

/**
 * Git blob IDs of the texts that the mirror wrote last, or would write, by identity. A file with such a blob has no
 * edits of a person to keep, and need not be read to find that out.
 */
export class WrittenBlobs {
  readonly #names = new Map<string, string>()

  isOwn(key: string, text: string): boolean {
    return this.isOwnName(key, nameOf(text))
  }

  isOwnName(key: string, oid: string): boolean {
    return this.#names.get(key) === oid
  }

  remember(key: string, text: string): void {
    this.rememberName(key, nameOf(text))
  }

  rememberName(key: string, oid: string): void {
    this.#names.set(key, oid)
  }

  forget(key: string): void {
    this.#names.delete(key)
  }
}

function nameOf(text: string): string {
  return objectId('blob', Buffer.from(text))
}
