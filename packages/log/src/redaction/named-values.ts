import { mask } from './mask.ts'
import { isSecretName } from './secret-names.ts'
import { findValue } from './value-span.ts'

// Every repetition has an upper bound, so that the time stays linear for a text full of partial matches.
const nameThenValue =
  /(?<![\w-])(?:name|key)\\{0,8}["'`]?[ \t]{0,8}:[ \t]{0,8}\\{0,8}["'`]?([\w.-]{1,200})\\{0,8}["'`]?,?\s{0,64}\\{0,8}["'`]?value\\{0,8}["'`]?[ \t]{0,8}:[ \t]{0,8}/g

/** Masks the value in `{"name": "DB_PASSWORD", "value": "…"}`, as environment variables and headers are written. */
export function redactNamedValues(text: string): string {
  const pairs = new RegExp(nameThenValue)
  let out = ''
  let done = 0
  for (let match = pairs.exec(text); match !== null; match = pairs.exec(text)) {
    if (!isSecretName(match[1] ?? '')) continue
    const { start, end } = findValue(text, pairs.lastIndex, false)
    if (end === start) continue
    out += text.slice(done, start) + mask
    done = end
    pairs.lastIndex = end
  }
  return out + text.slice(done)
}
