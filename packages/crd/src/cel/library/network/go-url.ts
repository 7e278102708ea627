import { goQuote } from '../../../go-text.ts'
import { parseAddress } from './ip-address.ts'

/**
 * A URL in the parts of Go's net/url. JavaScript's URL is not used, because it repairs and normalizes URLs that Go
 * rejects.
 */
export interface GoUrl {
  readonly scheme: string
  readonly opaque: string
  readonly user: string | undefined
  /** The host with its port, unescaped. */
  readonly host: string
  readonly omitHost: boolean
  /** As written. */
  readonly rawPath: string
  readonly rawQuery: string
  readonly forceQuery: boolean
  readonly fragment: string
}

/** Parses like Go's url.ParseRequestURI, which accepts absolute URLs and absolute paths. A string is the error. */
export function parseRequestUrl(text: string): GoUrl | string {
  const parsed = parseReference(text, true)
  return typeof parsed === 'string' ? describe(text, parsed) : parsed
}

/** Parses like Go's url.Parse, which also accepts fragments and relative references. */
export function parseUrl(text: string): GoUrl | string {
  const hash = text.indexOf('#')
  const body = hash < 0 ? text : text.slice(0, hash)
  const parsed = parseReference(body, false)
  if (typeof parsed === 'string') return describe(body, parsed)
  const fragment = hash < 0 ? '' : text.slice(hash + 1)
  const badEscape = findBadEscape(fragment)
  if (badEscape !== undefined) return describe(text, badEscape)
  return { ...parsed, fragment }
}

export function formatUrl(url: GoUrl): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') text += url.opaque
  else {
    const path = escapedPath(url)
    const hasAuthority = url.scheme !== '' || url.host !== '' || url.user !== undefined
    if (hasAuthority && !url.omitHost) {
      if (url.host !== '' || path !== '' || url.user !== undefined) text += '//'
      if (url.user !== undefined) text += `${url.user}@`
      text += escapeBytes(url.host, hostSafe)
    }
    text += path
  }
  if (url.forceQuery || url.rawQuery !== '') text += `?${url.rawQuery}`
  return url.fragment === '' ? text : `${text}#${url.fragment}`
}

export function escapedPath(url: GoUrl): string {
  if (validPath.test(url.rawPath)) return url.rawPath
  return escapeBytes(decodePercent(url.rawPath, false), pathSafe)
}

export function urlHostname(url: GoUrl): string {
  const host = url.host.replace(/:[0-9]*$/, '')
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

export function urlPort(url: GoUrl): string {
  return /:([0-9]*)$/.exec(url.host)?.[1] ?? ''
}

/** The query parameters by name, without those that are badly escaped or contain a semicolon. */
export function urlQuery(url: GoUrl): Map<string, string[]> {
  const result = new Map<string, string[]>()
  for (const part of url.rawQuery.split('&')) {
    if (part === '' || part.includes(';')) continue
    const equals = part.indexOf('=')
    const key = equals < 0 ? part : part.slice(0, equals)
    const value = equals < 0 ? '' : part.slice(equals + 1)
    if (findBadEscape(key) !== undefined || findBadEscape(value) !== undefined) continue
    const name = decodePercent(key, true)
    result.set(name, [...(result.get(name) ?? []), decodePercent(value, true)])
  }
  return result
}

const validPath = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]%]*$/
const pathSafe = /^[A-Za-z0-9\-_.~$&+,/:;=@]$/
const hostSafe = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/

function describe(text: string, reason: string): string {
  return `parse ${goQuote(text)}: ${reason}`
}

function parseReference(text: string, request: boolean): GoUrl | string {
  if (hasControlCharacter(text)) return 'net/url: invalid control character in URL'
  if (text === '' && request) return 'empty url'
  const empty: GoUrl = {
    scheme: '',
    opaque: '',
    user: undefined,
    host: '',
    omitHost: false,
    rawPath: '',
    rawQuery: '',
    forceQuery: false,
    fragment: '',
  }
  if (text === '*') return { ...empty, rawPath: '*' }
  const split = splitScheme(text)
  if (split === undefined) return 'missing protocol scheme'
  const scheme = split.scheme.toLowerCase()
  const question = split.rest.indexOf('?')
  const forceQuery = question >= 0 && question === split.rest.length - 1
  const rawQuery = question < 0 ? '' : split.rest.slice(question + 1)
  const rest = question < 0 ? split.rest : split.rest.slice(0, question)
  const base: GoUrl = { ...empty, scheme, rawQuery, forceQuery }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...base, opaque: rest }
    if (request) return 'invalid URI for request'
    if ((rest.split('/')[0] ?? '').includes(':')) {
      return 'first path segment in URL cannot contain colon'
    }
  }
  return parseHierarchy(base, rest, request)
}

function parseHierarchy(base: GoUrl, rest: string, request: boolean): GoUrl | string {
  const { scheme } = base
  let url = base
  let path = rest
  const absolute = scheme !== '' || (!request && !rest.startsWith('///'))
  if (absolute && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2)
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
    path = slash < 0 ? '' : rest.slice(slash)
    const at = authority.lastIndexOf('@')
    const user = at < 0 ? undefined : authority.slice(0, at)
    const host = parseHost(scheme, authority.slice(at + 1))
    if (typeof host !== 'string') return host.error
    if (user !== undefined && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
      return 'net/url: invalid userinfo'
    }
    const badUser = user === undefined ? undefined : findBadEscape(user)
    if (badUser !== undefined) return badUser
    url = { ...base, user, host }
  } else if (scheme !== '' && rest.startsWith('/')) url = { ...base, omitHost: true }
  return findBadEscape(path) ?? { ...url, rawPath: path }
}

function splitScheme(text: string): { scheme: string; rest: string } | undefined {
  if (text.startsWith(':')) return undefined
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)
  if (match === null) return { scheme: '', rest: text }
  return { scheme: match[1] ?? '', rest: text.slice(match[0].length) }
}

function parseHost(scheme: string, host: string): string | { error: string } {
  const bracket = host.lastIndexOf('[')
  if (bracket > 0) return { error: 'invalid IP-literal' }
  if (bracket === 0) return parseIpLiteral(host)
  const first = host.indexOf(':')
  if (first >= 0) {
    const strict = scheme === 'http' || scheme === 'https'
    const port = host.slice(strict ? first : host.lastIndexOf(':'))
    if (!/^:[0-9]*$/.test(port)) return { error: `invalid port ${goQuote(port)} after host` }
  }
  return unescapeHost(host)
}

function parseIpLiteral(host: string): string | { error: string } {
  const close = host.lastIndexOf(']')
  if (close < 0) return { error: "missing ']' in host" }
  const port = host.slice(close + 1)
  if (!/^(:[0-9]*)?$/.test(port)) return { error: `invalid port ${goQuote(port)} after host` }
  const zone = host.indexOf('%25')
  const inner = host.slice(1, close)
  const address = zone < 0 ? inner : decodePercent(inner, false)
  const parsed = parseAddress(address)
  if ('error' in parsed) return { error: `invalid host: ${parsed.error}` }
  return parsed.value.family === 4 ? { error: 'invalid IP-literal' } : `[${address}]${port}`
}

/** Only non-ASCII bytes and `%25` may be escaped in a host. */
function unescapeHost(host: string): string | { error: string } {
  for (let index = 0; index < host.length; index++) {
    const character = host[index] ?? ''
    if (character === '%') {
      const sequence = host.slice(index, index + 3)
      const valid = /^%([89a-fA-F][0-9a-fA-F]|25)$/.test(sequence)
      if (!valid) return { error: `invalid URL escape ${goQuote(sequence)}` }
      index += 2
    } else if (character < '\x80' && !hostSafe.test(character)) {
      return { error: `invalid character ${goQuote(character)} in host name` }
    }
  }
  return decodePercent(host, false)
}

function findBadEscape(text: string): string | undefined {
  const match = /%(?![0-9a-fA-F]{2})/.exec(text)
  return match === null
    ? undefined
    : `invalid URL escape ${goQuote(text.slice(match.index, match.index + 3))}`
}

function decodePercent(text: string, query: boolean): string {
  const plain = query ? text.replaceAll('+', ' ') : text
  if (!plain.includes('%')) return plain
  const bytes: number[] = []
  const encoded = new TextEncoder().encode(plain)
  for (let index = 0; index < encoded.length; index++) {
    if (encoded[index] === 0x25) {
      bytes.push(Number.parseInt(String.fromCharCode(...encoded.slice(index + 1, index + 3)), 16))
      index += 2
    } else bytes.push(encoded[index] ?? 0)
  }
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

function escapeBytes(text: string, safe: RegExp): string {
  let result = ''
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte)
    const keep = byte < 0x80 && safe.test(character)
    result += keep ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return result
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit === 0x7f) return true
  }
  return false
}
