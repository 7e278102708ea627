import { stringifyJson } from '@agents/kube'

/** JSON as PostgreSQL's jsonb accepts it: NUL and half characters, which it refuses, become U+FFFD. */
export function jsonbText(value: unknown): string {
  return stringifyJson(value).replace(escapes, (found) => (refused.test(found) ? '\\ufffd' : found))
}

/** An escaped backslash is taken whole, so that what follows it is not mistaken for an escape. */
const escapes = /\\(?:u[0-9a-f]{4}|.)/g
const refused = /^\\u(?:0000|d[89a-f][0-9a-f]{2})$/
