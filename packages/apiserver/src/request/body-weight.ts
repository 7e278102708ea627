import { ApiError, requestTooLarge } from '../status/api-error.ts'

/**
 * Limit for the approximate number of values in a body. Typical objects have hundreds of values, large definitions of
 * custom resources ten thousand.
 */
export const maxValues = 30_000

/** Kubernetes accepts ten thousand operations in a JSON patch, with four values each. */
const maxPatchValues = 2 * maxValues

/** Limits of what the main thread processes itself, which takes about 20 ms at most. */
const lightValues = 2_000
const lightYamlLines = 1_000
const lightBytes = 512 * 1024

/** A body of this size cannot hold more than `lightValues`, so its values need not be counted. */
const surelyLight = 2 * lightValues

/**
 * Reports whether a body is too heavy for the main thread. Throws a 413 for a body that is too large for any thread.
 */
export function isHeavyBody(bytes: Buffer, contentType: string): boolean {
  if (contentType === 'application/vnd.kubernetes.protobuf') {
    // The decoder counts the fields.
    return bytes.length > surelyLight
  }
  const isYaml = contentType.endsWith('yaml') && !startsWithBrace(bytes)
  if (bytes.length <= (isYaml ? lightYamlLines : surelyLight)) return false
  const limit = contentType === 'application/json-patch+json' ? maxPatchValues : maxValues
  const values = isYaml ? countYamlParts(bytes) : countJsonValues(bytes, limit)
  if (values > limit) throw requestTooLarge(`the body has more than ${limit} values`)
  return bytes.length > lightBytes || values > (isYaml ? lightYamlLines : lightValues)
}

/** Throws a 413 for YAML with too many values that started with a brace, and so was counted as JSON before. */
export function checkYamlWeight(bytes: Buffer): void {
  if (bytes.length > lightYamlLines && countYamlParts(bytes) > maxValues) {
    throw requestTooLarge(`the body has more than ${maxValues} values`)
  }
}

/** Above the limits of a body: patches make objects larger, and managedFields about double their size. */
const maxStoredValues = 3 * maxValues
/** The limit of etcd, which clients of Kubernetes are used to. */
const maxStoredBytes = 1.5 * 1024 * 1024

/** Throws the error of etcd, or a 413, for an object that is too large to be stored. */
export function checkStored(json: Uint8Array): void {
  if (json.length > maxStoredBytes && unescapedBytes(json) > maxStoredBytes) {
    throw new ApiError(500, '', 'etcdserver: request is too large')
  }
  if (countJsonValues(json, maxStoredValues) > maxStoredValues) {
    throw requestTooLarge(`the object has more than ${maxStoredValues} values`)
  }
}

/** Without escapes, as in the protobuf that kube-apiserver stores: a megabyte of line ends is two megabytes of JSON. */
function unescapedBytes(json: Uint8Array): number {
  let bytes = json.length
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== backslash) continue
    // `\u001b` is one byte in UTF-8. Escapes of other characters do not occur in what JSON.stringify returns.
    const escaped = json[at + 1] === letterU ? 5 : 1
    bytes -= escaped
    at += escaped
  }
  return bytes
}

/** Reports whether a stored object is too heavy for the main thread. */
export function isHeavyObject(json: Buffer): boolean {
  if (json.length <= surelyLight) return false
  return json.length > lightBytes || countJsonValues(json) > lightValues
}

const letterU = 0x75
const openBrace = 0x7b
const openBracket = 0x5b
const comma = 0x2c
const quote = 0x22
const backslash = 0x5c
const newline = 0x0a
const space = 0x20
const tab = 0x09
const carriageReturn = 0x0d

/** Counts values up to just above the limit: each brace, bracket and comma outside of strings starts one. */
function countJsonValues(bytes: Uint8Array, limit = maxValues): number {
  let values = 1
  for (let at = 0; at < bytes.length && values <= limit; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at)
    else if (byte === comma || byte === openBrace || byte === openBracket) values++
  }
  return values
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** Counts lines and whatever can begin a value within a line. Overestimates, since strings are not recognized. */
function countYamlParts(bytes: Buffer): number {
  let parts = 1
  for (let at = 0; at < bytes.length && parts <= maxValues; at++) {
    switch (bytes[at]) {
      case newline:
      case carriageReturn:
      case comma:
      case openBrace:
      case openBracket:
        parts++
        break
      // `- - - x` nests a list at each dash, `? ? x` a map at each question mark.
      case 0x2d:
      case 0x3f:
      case 0x3a:
        if (isBlank(bytes[at + 1]) && bytes[at - 1] !== newline) parts++
        break
      // An alias repeats its anchor, so a short text may expand to a long one: too heavy for the main thread.
      case 0x2a:
        if (bytes[at + 1] !== quote && isBlank(bytes[at - 1])) parts += lightYamlLines
        break
    }
  }
  return parts
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab || byte === newline || byte === carriageReturn
}

function startsWithBrace(bytes: Buffer): boolean {
  let at = 0
  while (isBlank(bytes[at])) at++
  return bytes[at] === openBrace
}
