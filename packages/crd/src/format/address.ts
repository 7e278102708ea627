/**
 * Whether the text is an IPv4 address, with leading zeros allowed, or, as upstream accepts, an IPv6 address that ends
 * in a dotted quad.
 */
export function isIPv4(value: string): boolean {
  return value.includes('.') && (isDottedQuad(value, true) || isColonForm(value, true))
}

export function isIPv6(value: string): boolean {
  return value.includes(':') && isColonForm(value, false)
}

export function isCidr(value: string): boolean {
  const slash = value.indexOf('/')
  if (slash < 0) return false
  const address = value.slice(0, slash)
  const mask = value.slice(slash + 1)
  if (!/^[0-9]{1,6}$/.test(mask)) return false
  if (!address.includes(':')) return isDottedQuad(address, true) && Number(mask) <= 32
  return isColonForm(address, true) && Number(mask) <= 128
}

const macForms = [5, 7, 19].flatMap((more) => [
  new RegExp(`^[0-9a-fA-F]{${(more + 1) * 2}}$`),
  new RegExp(`^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){${more}}$`),
  new RegExp(`^[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2}){${more}}$`),
  new RegExp(`^[0-9a-fA-F]{4}(?:\\.[0-9a-fA-F]{4}){${(more - 1) / 2}}$`),
])

/** Whether the text is a MAC address of 6, 8 or 20 octets in one of the notations that Go accepts. */
export function isMac(value: string): boolean {
  return macForms.some((form) => form.test(value))
}

function isDottedQuad(value: string, leadingZeros: boolean): boolean {
  const parts = value.split('.')
  return parts.length === 4 && parts.every((part) => isOctet(part, leadingZeros))
}

function isOctet(part: string, leadingZeros: boolean): boolean {
  if (!/^[0-9]+$/.test(part) || Number(part) > 255) return false
  return leadingZeros || part === '0' || !part.startsWith('0')
}

function isColonForm(value: string, leadingZeros: boolean): boolean {
  if (value.length > 64) return false
  const halves = value.split('::')
  if (halves.length > 2) return false
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')))
  const all = groups.flat()
  const last = all.at(-1) ?? ''
  const endsInQuad = last.includes('.')
  if (endsInQuad && value.endsWith('::')) return false
  if (endsInQuad && !isDottedQuad(last, leadingZeros)) return false
  const hex = endsInQuad ? all.slice(0, -1) : all
  if (!hex.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  const length = hex.length + (endsInQuad ? 2 : 0)
  return halves.length === 2 ? length < 8 : length === 8
}
