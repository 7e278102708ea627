import { mask } from './mask.ts'
import { isSecretHeader, isSecretName, isTokenCount } from './secret-names.ts'
import { findValue, type Span } from './value-span.ts'

// A name starts only after a character that is not part of a name, so each name is tried once.
const nameAndSeparator =
  /(?<![\w-])(-{0,2}\w[\w-]*)(?:\\*["'`]?[ \t]*([:=]>?)=?[ \t]*|([ \t]+)(?=[^\s-]))/g

/** Masks the value in `password=…`, `"token": "…"`, `--api-key …`, whatever form the value has. */
export function redactAssignments(text: string): string {
  const names = new RegExp(nameAndSeparator)
  let out = ''
  let done = 0
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const [, name = '', sign] = match
    if (sign === undefined && !name.startsWith('--')) continue
    if (!isSecretName(name)) continue
    const value = findValue(text, names.lastIndex, isSecretHeader(name))
    names.lastIndex = Math.max(names.lastIndex, value.end)
    if (value.end === value.start) continue
    if (sign === ':' && isProse(text, value)) continue
    if (isTokenCount(name, text.slice(value.start, value.end))) continue
    out += text.slice(done, value.start) + mask
    done = value.end
  }
  return out + text.slice(done)
}

// The words that follow a field name in validation messages: `spec.auth.token: Required value`.
const prose = new Set(
  'a an and cannot could does duplicate empty expected failed forbidden has invalid is malformed missing must no not null required secret should the too undefined unknown unsupported was will'.split(
    ' ',
  ),
)

function isProse(text: string, { start, end }: Span): boolean {
  return end - start <= 12 && prose.has(text.slice(start, end).toLowerCase())
}
