const hostChar = 'a-zA-Z0-9\\p{S}\\p{L}'
const hostnamePattern = new RegExp(
  `^(?:[${hostChar}](?:-?[${hostChar}]{0,62})?|(?:[${hostChar}](?:[${hostChar}-]{0,61}[${hostChar}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
)

/** Whether the text is a host name of at most 255 octets, with labels of at most 63. */
export function isHostname(value: string): boolean {
  // The length is checked first to bound the work of the pattern.
  if (value.length > 255 || Buffer.byteLength(value) > 255) return false
  if (value.split('.').some((label) => Buffer.byteLength(label) > 63)) return false
  return hostnamePattern.test(value)
}

/** Whether the text is an absolute URI or an absolute path, as Go's `url.ParseRequestURI` parses them. */
export function isRequestUri(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is rejected
  if (value === '' || /[\x00-\x1f\x7f]/.test(value)) return false
  if (value === '*') return true
  if (value.startsWith(':')) return false
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(value)?.[0] ?? ''
  const rest = value.slice(scheme.length)
  const query = rest.indexOf('?')
  const target = query < 0 ? rest : rest.slice(0, query)
  if (!target.startsWith('/')) return scheme !== ''
  if (scheme === '' || !target.startsWith('//')) return hasValidEscapes(target)
  const slash = target.indexOf('/', 2)
  const authority = slash < 0 ? target.slice(2) : target.slice(2, slash)
  return isAuthority(authority) && hasValidEscapes(slash < 0 ? '' : target.slice(slash))
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text)
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@')
  const user = authority.slice(0, Math.max(at, 0))
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !hasValidEscapes(user)) return false
  const host = authority.slice(at + 1)
  if (host.startsWith('[')) return isBracketedHost(host)
  const colon = host.lastIndexOf(':')
  const port = colon < 0 ? '' : host.slice(colon + 1)
  const name = colon < 0 ? host : host.slice(0, colon)
  if (!/^[0-9]*$/.test(port) || name.includes('[') || name.includes(']')) return false
  return isHostText(name)
}

function isBracketedHost(host: string): boolean {
  const close = host.lastIndexOf(']')
  if (close < 0 || !/^(?::[0-9]*)?$/.test(host.slice(close + 1))) return false
  const [address = '', zone] = host.slice(1, close).split('%25', 2)
  if (zone !== undefined && !hasValidEscapes(zone)) return false
  return address.includes(':') && /^[0-9a-fA-F:.]+$/.test(address)
}

/** Whether a host is valid. Percent escapes may only encode non-ASCII bytes. */
function isHostText(name: string): boolean {
  if (!hasValidEscapes(name) || /%[0-7]/.test(name)) return false
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:<>"%[\]]|[^\0-\x7f])*$/u.test(name)
}
