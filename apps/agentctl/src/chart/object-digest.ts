import { createHash, createHmac } from 'node:crypto'

/** The parts of a Secret or ConfigMap that its digest is made of. */
export interface Digestible {
  readonly kind: 'Secret' | 'ConfigMap'
  /** Base64 in a Secret, plain text in a ConfigMap. */
  readonly data?: Readonly<Record<string, string>>
  /** Plain text, Secret only; outweighs `data`. */
  readonly stringData?: Readonly<Record<string, string>>
  /** Base64, ConfigMap only. */
  readonly binaryData?: Readonly<Record<string, string>>
}

/**
 * The digest that the chart's `rolloutChecksums` puts into annotations: SHA-256 in hex of the JSON of {key:
 * base64(value)}, keys sorted by code unit, no spaces. With `keys` only those count; with a secret it is an HMAC of
 * the same text.
 */
export function objectDigest(
  object: Digestible,
  keys?: readonly string[],
  hmacKey?: Uint8Array,
): string {
  const sorted = Object.entries(encodedData(object))
    .filter(([key]) => keys === undefined || keys.length === 0 || keys.includes(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify(Object.fromEntries(sorted))
  return hmacKey === undefined
    ? sha256(text)
    : createHmac('sha256', hmacKey).update(text).digest('hex')
}

function encodedData({ kind, data = {}, stringData = {}, binaryData = {} }: Digestible) {
  if (kind === 'ConfigMap') return { ...encoded(data), ...binaryData }
  return { ...data, ...encoded(stringData) }
}

function encoded(texts: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(texts)
  return Object.fromEntries(
    entries.map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
