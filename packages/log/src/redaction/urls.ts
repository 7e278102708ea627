import { mask } from './mask.ts'

/** Masks the credentials in every URL of the text. */
export function redactUrls(text: string): string {
  let out = ''
  let done = 0
  let colon = text.indexOf('://')
  while (colon !== -1) {
    const start = colon + 3
    const web = isWeb(text, colon)
    const { at, end } = findUserInfo(text, start, web)
    if (at !== undefined) {
      out += text.slice(done, start) + maskUserInfo(text.slice(start, at), web)
      done = at
    }
    colon = text.indexOf('://', end)
  }
  return out + text.slice(done)
}

function isWeb(text: string, colon: number): boolean {
  return /https?$/i.test(text.slice(Math.max(0, colon - 5), colon))
}

/** In web URLs the user name may be the token (`https://TOKEN@host`, `https://TOKEN:x-oauth-basic@host`). */
function maskUserInfo(userInfo: string, web: boolean): string {
  if (web) return mask
  const colon = userInfo.indexOf(':')
  return colon === -1 ? userInfo : `${userInfo.slice(0, colon)}:${mask}`
}

interface UserInfo {
  /** Index of the `@` after the credentials. */
  readonly at?: number
  /** No further URL has to be checked before this index, which keeps the scan linear. */
  readonly end: number
}

/** An unescaped password may contain `@`, `/`, `?` and `#`, so a port that is not a number is a password. */
function findUserInfo(text: string, start: number, web: boolean): UserInfo {
  const authorityEnd = scanUntil(text, start, '/?#')
  const authority = text.slice(start, authorityEnd)
  const at = authority.lastIndexOf('@')
  if (at !== -1) return { at: start + at, end: authorityEnd }
  const colon = authority.indexOf(':')
  if (colon === -1 || authority.startsWith('[')) return { end: authorityEnd }
  if (web && /^\d*$/.test(authority.slice(colon + 1))) return { end: authorityEnd }
  const end = scanUntil(text, start, '')
  const lastAt = text.slice(start, end).lastIndexOf('@')
  return lastAt === -1 ? { end } : { at: start + lastAt, end }
}

const urlEnds = ' \t\r\n"\'`<>'

function scanUntil(text: string, from: number, stops: string): number {
  let at = from
  while (at < text.length && !isOneOf(text, at, urlEnds) && !isOneOf(text, at, stops)) at += 1
  return at
}

function isOneOf(text: string, at: number, characters: string): boolean {
  return characters.includes(text.charAt(at))
}
