import { goQuote } from '../../../go-text.ts'

/** A semantic version. Build metadata is validated and then ignored. */
export interface Version {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  /** Numbers are bigints: they are ordered by value, before texts. */
  readonly prerelease: readonly (bigint | string)[]
}

/** Parses a strict version such as `1.2.3-rc.1+build`. A string is the error. */
export function parseVersion(text: string): Version | string {
  if (text === '') return 'Version string empty'
  const parts = splitLimited(text)
  if (parts === undefined) return 'No Major.Minor.Patch elements found'
  const [majorText, minorText, rest] = parts
  const plus = rest.indexOf('+')
  const build = plus < 0 ? undefined : rest.slice(plus + 1)
  const core = plus < 0 ? rest : rest.slice(0, plus)
  const minus = core.indexOf('-')
  const prereleaseText = minus < 0 ? undefined : core.slice(minus + 1)
  const patchText = minus < 0 ? core : core.slice(0, minus)
  const numbers: bigint[] = []
  for (const [name, part] of [
    ['major', majorText],
    ['minor', minorText],
    ['patch', patchText],
  ] as const) {
    const failure = checkNumber(name, part)
    if (failure !== undefined) return failure
    numbers.push(BigInt(part))
  }
  const prerelease = parsePrerelease(prereleaseText)
  if (typeof prerelease === 'string') return prerelease
  for (const part of build?.split('.') ?? []) {
    if (part === '') return 'Build meta data is empty'
    if (!identifierPattern.test(part))
      return `Invalid character(s) found in build meta data ${goQuote(part)}`
  }
  const [major = 0n, minor = 0n, patch = 0n] = numbers
  return { major, minor, patch, prerelease }
}

/** Parses a version that may also have a `v` prefix and leading zeros, and may lack patch and minor. */
export function parseTolerantVersion(text: string): Version | string {
  const plain = text.startsWith('v') ? text.slice(1) : text
  const first = plain.split('.')
  const parts = first.length > 3 ? [...first.slice(0, 2), first.slice(2).join('.')] : first
  const trimmed = parts.map((part) => {
    if (part.length < 2) return part
    const rest = part.replace(/^0+/, '')
    return /^[0-9]/.test(rest) ? rest : `0${rest}`
  })
  if (trimmed.length < 3) {
    if (/[+-]/.test(trimmed.at(-1) ?? '')) {
      return 'short version cannot contain PreRelease/Build meta data'
    }
    while (trimmed.length < 3) trimmed.push('0')
  }
  return parseVersion(trimmed.join('.'))
}

export function compareVersions(left: Version, right: Version): -1 | 0 | 1 {
  for (const key of ['major', 'minor', 'patch'] as const) {
    if (left[key] !== right[key]) return left[key] < right[key] ? -1 : 1
  }
  // A release is after its pre-releases.
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    if (left.prerelease.length === right.prerelease.length) return 0
    return left.prerelease.length === 0 ? 1 : -1
  }
  const length = Math.min(left.prerelease.length, right.prerelease.length)
  for (let index = 0; index < length; index++) {
    const order = comparePart(left.prerelease[index] ?? 0n, right.prerelease[index] ?? 0n)
    if (order !== 0) return order
  }
  const difference = left.prerelease.length - right.prerelease.length
  return difference === 0 ? 0 : difference < 0 ? -1 : 1
}

const identifierPattern = /^[0-9A-Za-z-]+$/
const maxUint64 = 2n ** 64n - 1n

function splitLimited(text: string): [string, string, string] | undefined {
  const [major, minor, ...rest] = text.split('.')
  if (major === undefined || minor === undefined || rest.length === 0) return undefined
  return [major, minor, rest.join('.')]
}

function checkNumber(name: string, text: string): string | undefined {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  if (!/^[0-9]*$/.test(text)) return `Invalid character(s) found in ${name} number ${goQuote(text)}`
  if (text.length > 1 && text.startsWith('0')) {
    return `${title} number must not contain leading zeroes ${goQuote(text)}`
  }
  const parsing = `strconv.ParseUint: parsing ${goQuote(text)}`
  if (text === '') return `${parsing}: invalid syntax`
  return BigInt(text) > maxUint64 ? `${parsing}: value out of range` : undefined
}

function parsePrerelease(text: string | undefined): (bigint | string)[] | string {
  if (text === undefined) return []
  const parts: (bigint | string)[] = []
  for (const part of text.split('.')) {
    if (part === '') return 'Prerelease is empty'
    if (/^[0-9]+$/.test(part)) {
      if (part.length > 1 && part.startsWith('0')) {
        return `Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`
      }
      parts.push(BigInt(part))
    } else if (identifierPattern.test(part)) parts.push(part)
    else return `Invalid character(s) found in prerelease ${goQuote(part)}`
  }
  return parts
}

function comparePart(left: bigint | string, right: bigint | string): -1 | 0 | 1 {
  if (left === right) return 0
  if (typeof left !== typeof right) return typeof left === 'bigint' ? -1 : 1
  return left < right ? -1 : 1
}
