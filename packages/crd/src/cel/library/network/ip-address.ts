import { goQuote } from '../../../go-text.ts'

/** An IPv4 or IPv6 address as its bits. */
export interface Address {
  readonly bits: bigint
  readonly family: 4 | 6
}

type Parsed<T> = { readonly value: T } | { readonly error: string }

/** Parses an address like netip.ParseAddr, without zones and IPv4-mapped IPv6. The error is worded as Go does. */
export function parseAddress(text: string): Parsed<Address> & { readonly zone?: string } {
  for (const character of text) {
    if (character === '.') return parseV4(text, text)
    if (character === ':') return parseV6(text)
    if (character === '%') return failure(text, 'missing IPv6 address')
  }
  return failure(text, 'unable to parse IP')
}

/** Formats an address in its canonical form: dotted decimal, or RFC 5952. */
export function formatAddress(address: Address): string {
  if (address.family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => (address.bits >> shift) & 0xffn).join('.')
  }
  const groups = Array.from({ length: 8 }, (_group, index) =>
    Number((address.bits >> BigInt(112 - 16 * index)) & 0xffffn),
  )
  const [start, length] = longestZeroRun(groups)
  const hex = groups.map((group) => group.toString(16))
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

export function isV4Mapped(address: Address): boolean {
  return address.family === 6 && address.bits >> 32n === 0xffffn
}

export function addressWidth(family: 4 | 6): number {
  return family === 4 ? 32 : 128
}

/** Whether the first `length` bits of both addresses are equal. */
export function samePrefix(left: Address, right: Address, length: number): boolean {
  if (left.family !== right.family) return false
  const shift = BigInt(addressWidth(left.family) - length)
  return left.bits >> shift === right.bits >> shift
}

function parseV4(text: string, whole: string): Parsed<Address> {
  const parts = text.split('.')
  let bits = 0n
  for (const [index, part] of parts.entries()) {
    if (index > 3) return failure(whole, 'IPv4 address too long')
    const bad = /[^0-9]/.exec(part)
    if (bad !== null)
      return failure(
        whole,
        'unexpected character',
        part.slice(bad.index) + text.slice(text.indexOf(part) + part.length),
      )
    if (part === '')
      return failure(whole, 'IPv4 field must have at least one digit', emptyFieldRest(parts, index))
    if (part.length > 1 && part.startsWith('0'))
      return failure(whole, 'IPv4 field has octet with leading zero')
    if (part.length > 3 || Number(part) > 255) return failure(whole, 'IPv4 field has value >255')
    bits = (bits << 8n) | BigInt(part)
  }
  if (parts.length < 4) return failure(whole, 'IPv4 address too short')
  return { value: { bits, family: 4 } }
}

function emptyFieldRest(parts: readonly string[], index: number): string {
  return index === parts.length - 1 ? '' : `.${parts.slice(index + 1).join('.')}`
}

function parseV6(text: string): Parsed<Address> & { readonly zone?: string } {
  const percent = text.indexOf('%')
  const zone = percent < 0 ? undefined : text.slice(percent + 1)
  if (zone === '') return failure(text, 'zone must be a non-empty string')
  const parsed = parseV6Groups(percent < 0 ? text : text.slice(0, percent), text)
  return zone === undefined || 'error' in parsed ? parsed : { ...parsed, zone }
}

/** Parses an IPv6 address group by group. The order of the checks determines the error of an invalid address. */
function parseV6Groups(body: string, whole: string): Parsed<Address> {
  const groups: bigint[] = []
  let ellipsis = -1
  let rest = body
  if (rest.startsWith('::')) {
    ellipsis = 0
    rest = rest.slice(2)
  }
  while (groups.length < 8 && !(rest === '' && ellipsis === groups.length)) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? ''
    if (digits.length > 4) return failure(whole, 'each group must have 4 or less digits', rest)
    if (digits === '') {
      return failure(whole, 'each colon-separated field must have at least one digit', rest)
    }
    if (rest[digits.length] === '.') {
      if (ellipsis < 0 && groups.length !== 6) {
        return failure(
          whole,
          'embedded IPv4 address must replace the final 2 fields of the address',
          rest,
        )
      }
      const embedded = parseV4(rest, whole)
      if ('error' in embedded) return embedded
      groups.push(embedded.value.bits >> 16n, embedded.value.bits & 0xffffn)
      rest = ''
      break
    }
    groups.push(BigInt(`0x${digits}`))
    rest = rest.slice(digits.length)
    if (rest === '') break
    if (!rest.startsWith(':')) return failure(whole, 'unexpected character, want colon', rest)
    if (rest === ':') return failure(whole, 'colon must be followed by more characters', rest)
    rest = rest.slice(1)
    if (rest.startsWith(':')) {
      if (ellipsis >= 0) return failure(whole, 'multiple :: in address', rest)
      ellipsis = groups.length
      rest = rest.slice(1)
    }
  }
  if (rest !== '') return failure(whole, 'trailing garbage after address', rest)
  if (groups.length > 8) {
    return failure(whole, 'too many hex fields to fit an embedded IPv4 at the end of the address')
  }
  if (ellipsis < 0 && groups.length < 8) return failure(whole, 'address string too short')
  if (ellipsis >= 0 && groups.length === 8) {
    return failure(whole, 'the :: must expand to at least one field of zeros')
  }
  const zeros = new Array<bigint>(8 - groups.length).fill(0n)
  if (ellipsis >= 0) groups.splice(ellipsis, 0, ...zeros)
  return { value: { bits: groups.reduce((bits, group) => (bits << 16n) | group, 0n), family: 6 } }
}

function longestZeroRun(groups: readonly number[]): [start: number, length: number] {
  let best: [number, number] = [0, 0]
  for (let start = 0; start < groups.length; start++) {
    let end = start
    while (end < groups.length && groups[end] === 0) end++
    if (end - start > best[1]) best = [start, end - start]
  }
  return best
}

function failure(text: string, reason: string, at?: string): { error: string } {
  const position = at === undefined || at === '' ? '' : ` (at ${goQuote(at)})`
  return { error: `ParseAddr(${goQuote(text)}): ${reason}${position}` }
}
