import { stripVTControlCharacters } from 'node:util'
import type { SecretMask } from '../../run-contract/secrets/secret-mask.ts'

const longestShown = 400

/** Remembers the last line that is not blank. */
export interface LastLine {
  add(line: string): void
  /** For people: masked, without control characters, shortened. */
  shown(mask: SecretMask): string | undefined
}

export function createLastLine(): LastLine {
  let last = ''
  return {
    add(line) {
      if (line.trim() !== '') last = line
    },
    shown: (mask) => shownLine(last, mask),
  }
}

/** One line for people. It is masked before it is shortened, since a part of a secret would not be recognized. */
export function shownLine(text: string, mask: SecretMask): string | undefined {
  const plain = stripVTControlCharacters(mask(text))
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  if (plain === '') return undefined
  return plain.length <= longestShown
    ? plain
    : `${plain.slice(0, longestShown - 1)}…`.toWellFormed()
}
