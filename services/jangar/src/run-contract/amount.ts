import type { Reader } from '../reader/reader.ts'

export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

export const amount: Reader<number> = {
  read(value, path, problems) {
    if (!isTokenCount(value)) problems.push({ path, message: 'must be a whole number, 0 or more' })
    return value as number
  },
}

/** Never more than a reader accepts as a count. */
export function sumOf(...amounts: readonly (number | undefined)[]): number {
  const sum = amounts.reduce<number>((total, one) => total + (one ?? 0), 0)
  return Math.min(sum, Number.MAX_SAFE_INTEGER)
}
