import { createHash } from 'node:crypto'
import type { Identity } from '@agents/git'

/**
 * The author of a change by a field manager. Clients choose their field manager freely, so the identity says what it
 * is, and its e-mail address cannot be that of a person.
 */
export function managerAuthor(manager: string): Identity | undefined {
  const name = cleanName(manager)
  if (name === '') return undefined
  return { name: `${name} (field manager)`, email: addressIn('manager', manager) }
}

/** The author of a change by a user that the API server authenticated. */
export function userAuthor(user: string): Identity | undefined {
  const name = cleanName(user)
  if (name === '') return undefined
  return { name, email: address.test(user) ? user : addressIn('user', user) }
}

export function sameAuthor(a: Identity, b: Identity): boolean {
  return a.name === b.name && a.email === b.email
}

/** As `Co-authored-by` trailers, which Git servers show as further authors. */
export function coAuthorTrailers(authors: readonly Identity[]): string {
  return authors.map(({ name, email }) => `Co-authored-by: ${name} <${email}>`).join('\n')
}

const longestName = 100

/**
 * Control and format characters could end a line of the commit or reorder the text around them; `<` and `>` enclose
 * the address.
 */
function cleanName(text: string): string {
  const clean = text
    .replace(/[\p{C}\p{Zl}\p{Zp}<>]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return [...clean].slice(0, longestName).join('').trim()
}

const address =
  /^[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/

/** The longest local part of an address. */
const longestLocal = 64

/** The domain `invalid` is reserved, so nobody can own the address. Different texts have different addresses. */
function addressIn(source: 'manager' | 'user', text: string): string {
  const local = [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9_+-]/.test(character) || (character === '.' && !text.startsWith('.'))
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const short = local.length <= longestLocal ? local : `${local.slice(0, 47)}-${digest}`
  return `${short}@${source}.agents.invalid`
}
