import type { Json } from '@agents/crd'
import { parseJson } from '@agents/kube'
import { endOfString } from './end-of-string.ts'

/** Deeper values are rejected, so that functions over them can be recursive. */
const maxDepth = 1000

/** Parses untrusted JSON. Integers beyond ±(2^53 − 1) that fit int64 become bigint. Throws SyntaxError. */
export function parseBoundedJson(input: Uint8Array | string): Json {
  const text = typeof input === 'string' ? input : decodeText(input)
  if (isTooDeep(text)) throw new SyntaxError('exceeded max depth')
  return parseJson(text) as Json
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function isTooDeep(text: string): boolean {
  // Each level takes at least two brackets.
  if (text.length < 2 * maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth > maxDepth) return true
  }
  return false
}
