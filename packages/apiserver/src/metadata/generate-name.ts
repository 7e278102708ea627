import { randomInt } from 'node:crypto'

/** Without vowels, so that no words result, and without characters that look alike. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxLength = 63

/** Number of retries with another name after a conflict. */
export const generateNameAttempts = 8

export function generateName(base: string): string {
  let suffix = ''
  for (let index = 0; index < suffixLength; index++) {
    suffix += alphabet[randomInt(alphabet.length)]
  }
  return base.slice(0, maxLength - suffixLength) + suffix
}
