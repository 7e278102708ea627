import { stringifyJson } from '@agents/kube'

/** JSON that PostgreSQL's jsonb accepts: NUL and unpaired surrogates, which it rejects, are replaced with U+FFFD. */
export function jsonbText(value: unknown): string {
  return stringifyJson(value).replace(escapes, (found) => (refused.test(found) ? '\\ufffd' : found))
}

/** Matches an escaped backslash as a whole, so that the text after it is not taken for an escape. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/g
const refused = /^\\u(?:0000|d[89a-f][0-9a-f]{2})$/
