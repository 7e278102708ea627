/**
 * Whether `seen` is `wanted` or later. Versions of one resource are numbers that grow; should a server use other words, only
 * the same word counts.
 */
export function isAtLeastVersion(seen: string | undefined, wanted: string): boolean {
  if (seen === undefined || seen === '') return false
  if (seen === wanted) return true
  if (!digits.test(seen) || !digits.test(wanted)) return false
  return seen.length === wanted.length ? seen > wanted : seen.length > wanted.length
}

const digits = /^[1-9]\d*$/
