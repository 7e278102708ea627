import { string, type Typed } from '@agents/crd'

const escaped = '\\\\[!-~]'
const listed = `([^\\\\\\]\\-\\x00-\\x20\\x7f]|${escaped})`

/** Requires a well-formed pattern: an unclosed bracket is rejected when the object is written. */
const glob = `^([^\\\\\\[\\x00-\\x20\\x7f]|${escaped}|\\[\\^?(${listed}(-${listed})?)+\\])+$`

/** A pattern for names: `*` (any text without `/`), `?` (one character), `[a-z]`, `[^a-z]`, `\` before a literal. */
export function globPattern(description: string): Typed<string> {
  return string(description, { minLength: 1, maxLength: 255, pattern: glob })
}
