import { objectId } from '@agents/git'

/**
 * Knows the texts that the mirror wrote last, or would write, by identity and under the name that Git gives them. A file that is
 * one of them holds nothing of a person's that would have to be kept, and need not be read to find that out.
 */
export class OwnTexts {
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

const nameOf = (text: string): string => objectId('blob', Buffer.from(text))
