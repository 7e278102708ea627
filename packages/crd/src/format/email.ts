const ATOM = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+"
const DOT_ATOM = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u')
const QUOTED = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/u
const DOMAIN_LITERAL = /^\[[0-9A-Fa-f.:]+\]$/
const DISPLAY_NAME = new RegExp(`^(?:${ATOM}|[. \\t]|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*")*$`, 'u')

/** One mailbox of RFC 5322, `name@host` or `Display Name <name@host>`; comments are not understood. */
export function isEmail(value: string): boolean {
  const text = value.trim()
  if (text.length > 4_096) return false
  if (!text.endsWith('>')) return isAddress(text)
  const open = text.lastIndexOf('<')
  if (open < 0 || !DISPLAY_NAME.test(text.slice(0, open))) return false
  return isAddress(text.slice(open + 1, -1))
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  return (
    (DOT_ATOM.test(local) || QUOTED.test(local)) &&
    (DOT_ATOM.test(domain) || DOMAIN_LITERAL.test(domain))
  )
}
