import { MASK } from './mask.ts'
import { isSecretName } from './secret-names.ts'
import { findValue } from './value-span.ts'

// Every run has an upper bound, so that a text full of beginnings costs no more than its length.
const NAME_THEN_VALUE =
  /(?<![\w-])(?:name|key)\\{0,8}["'`]?[ \t]{0,8}:[ \t]{0,8}\\{0,8}["'`]?([\w.-]{1,200})\\{0,8}["'`]?,?\s{0,64}\\{0,8}["'`]?value\\{0,8}["'`]?[ \t]{0,8}:[ \t]{0,8}/g

/** Masks the value in `{"name": "DB_PASSWORD", "value": "…"}`, as environment variables and headers are written. */
export function redactNamedValues(text: string): string {
  const pairs = new RegExp(NAME_THEN_VALUE)
  let out = ''
  let done = 0
  for (let match = pairs.exec(text); match !== null; match = pairs.exec(text)) {
    if (!isSecretName(match[1] ?? '')) continue
    const { start, end } = findValue(text, pairs.lastIndex, false)
    if (end === start) continue
    out += text.slice(done, start) + MASK
    done = end
    pairs.lastIndex = end
  }
  return out + text.slice(done)
}
