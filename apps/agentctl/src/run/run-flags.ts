import { randomBytes } from 'node:crypto'
import { usageFailure } from '../cli/command-failure.ts'

const longestName = 253

/** A random name, chosen here like a server does for `generateName`, so that it is known before the run is created. */
export function nameFrom(prefix: string): string {
  const end = suffix()
  // A truncated name must have a valid end before the dash.
  const stem = prefix.slice(0, longestName - end.length - 1).replace(/[-.]+$/, '')
  return `${stem}-${end}`
}

/** Pairs such as `key=value`, as an object. */
export function pairsOf(flag: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const equals = pair.indexOf('=')
      if (equals <= 0) {
        throw usageFailure(`${flag} must be KEY=VALUE, not ${JSON.stringify(pair)}`)
      }
      return [pair.slice(0, equals), pair.slice(equals + 1)]
    }),
  )
}

export function wholeNumber(flag: string, text: string, smallest: number): number {
  const value = Number(text)
  if (/^-?\d+$/.test(text) && value >= smallest && value < 2 ** 31) return value
  throw usageFailure(
    `${flag} must be a whole number${smallest === 0 ? ', 0 or more' : ''}, not ${JSON.stringify(text)}`,
  )
}

function suffix(): string {
  return randomBytes(3).toString('hex')
}
