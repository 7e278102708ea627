import { randomInt } from 'node:crypto'

/** Without vowels and look-alikes, so that no words come out. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxLength = 63

/** How often a create is tried with another name after it met an existing one. */
export const generateNameAttempts = 8

export function generateName(base: string): string {
  let suffix = ''
  for (let index = 0; index < suffixLength; index++) {
    suffix += alphabet[randomInt(alphabet.length)]
  }
  return base.slice(0, maxLength - suffixLength) + suffix
}
