import { createHash } from 'node:crypto'

/**
 * Knows the texts that the mirror wrote last, by identity. A file that still is one of them holds nothing of a person's that
 * would have to be kept, and need not be parsed to find that out.
 */
export class OwnTexts {
  readonly #digests = new Map<string, string>()

  isOwn(key: string, text: string): boolean {
    const known = this.#digests.get(key)
    return known !== undefined && known === digest(text)
  }

  remember(key: string, text: string): void {
    this.#digests.set(key, digest(text))
  }

  forget(key: string): void {
    this.#digests.delete(key)
  }
}

const digest = (text: string): string => createHash('sha1').update(text).digest('base64')
