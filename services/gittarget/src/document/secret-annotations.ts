import { isMap, type JsonMap } from './json.ts'

/**
 * The annotations of a Secret without those that may hold its values: only `data` and `stringData` are encrypted, and
 * many tools keep a copy of the object that they last applied, some of them compressed. Removed are texts that are JSON
 * or look encoded, and those that contain a value.
 */
export function withoutCopies(annotations: JsonMap, secret: JsonMap): JsonMap | undefined {
  const values = valuesOf(secret)
  const kept = Object.entries(annotations).filter(
    ([, text]) => typeof text !== 'string' || !mayHoldValues(text, values),
  )
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

function mayHoldValues(text: string, values: readonly string[]): boolean {
  return isJson(text) || looksEncoded(text) || values.some((value) => text.includes(value))
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

/** Base64, compressed or longer than a digest. */
function looksEncoded(text: string): boolean {
  const digits = text.replaceAll(/\s/g, '')
  const isLong = digits.length > longestDigest || digits.startsWith(compressed)
  return isLong && /^[\w+/-]+=*$/.test(digits)
}

/** How the output of gzip begins. */
const compressed = 'H4sI'
/** SHA-512 in hexadecimal digits. */
const longestDigest = 128

/** Shorter values are found in ordinary words. */
const shortestValue = 6

/** Encoded as they are stored, and decoded. */
function valuesOf({ data, stringData }: JsonMap): readonly string[] {
  const stored = texts(data)
  const plain = stored.map((value) => Buffer.from(value, 'base64').toString())
  return [...stored, ...plain, ...texts(stringData)].filter(({ length }) => length >= shortestValue)
}

function texts(map: JsonMap[string] | undefined): readonly string[] {
  return isMap(map) ? Object.values(map).filter((value) => typeof value === 'string') : []
}
