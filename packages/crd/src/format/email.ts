const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+"
const dotAtomPattern = new RegExp(`^${atom}(?:\\.${atom})*$`, 'u')
const quotedPattern = /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/u
const domainLiteralPattern = /^\[[0-9A-Fa-f.:]+\]$/
const displayNamePattern = new RegExp(
  `^(?:${atom}|[. \\t]|"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])*")*$`,
  'u',
)

/** Whether the text is a mailbox of RFC 5322, `name@host` or `Display Name <name@host>`. Comments are not supported. */
export function isEmail(value: string): boolean {
  const text = value.trim()
  if (text.length > 4_096) return false
  if (!text.endsWith('>')) return isAddress(text)
  const open = text.lastIndexOf('<')
  if (open < 0 || !displayNamePattern.test(text.slice(0, open))) return false
  return isAddress(text.slice(open + 1, -1))
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  return (
    (dotAtomPattern.test(local) || quotedPattern.test(local)) &&
    (dotAtomPattern.test(domain) || domainLiteralPattern.test(domain))
  )
}
