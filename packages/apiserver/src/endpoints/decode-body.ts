import type { KubeObject } from '@agents/kube'
import { ApiError, badRequest, unknownKind, unsupportedMediaType } from '../status/api-error.ts'
import { type DecodedText, decodeJson, decodeYaml } from './decode-text.ts'

/** Decodes a `k8s\0` protobuf envelope into the object's JSON form; throws an ApiError for an unknown kind. */
export type DecodeProtobuf = (bytes: Buffer) => KubeObject

const protobufType = 'application/vnd.kubernetes.protobuf'

/** Parses a body by its content type. `kind` is the expected kind for error messages; undefined for options. */
export function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  kind: string | undefined,
  decodeProtobuf: DecodeProtobuf | undefined,
): DecodedText {
  const type = mediaType(contentType)
  switch (type) {
    // A missing content type counts as the first supported one.
    case '':
    case 'application/json':
      return parsed(bytes, kind, decodeJson)
    case 'application/yaml':
      return parsed(bytes, kind, decodeYaml)
    case protobufType:
      if (decodeProtobuf !== undefined) return decodedProtobuf(bytes, kind, decodeProtobuf)
      break
  }
  throw unsupportedMediaType(['application/json', 'application/yaml', protobufType])
}

const envelopeStart = 4

function decodedProtobuf(
  bytes: Buffer,
  kind: string | undefined,
  decodeProtobuf: DecodeProtobuf,
): DecodedText {
  const refuse = (why: string): Error =>
    badRequest(kind === undefined ? why : unrecognized(kind, why, bytes))
  if (bytes.length === envelopeStart) throw refuse('empty body')
  try {
    return { value: decodeProtobuf(bytes) as never, duplicates: [], isYaml: false }
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'BadRequest') throw error
    const [, named, version] = unknownKindMessage.exec(error.message) ?? []
    if (named === undefined || version === undefined) throw refuse(error.message)
    const why = unknownKind(named, version)
    throw badRequest(
      `${named} in version ${JSON.stringify(version)} cannot be handled as a ${kind ?? named}: ${why}`,
    )
  }
}

const unknownKindMessage = /^no kind "([^"]+)" is registered for version "([^"]+)"/

export function mediaType(contentType: string | undefined): string {
  const text = contentType ?? ''
  const end = text.indexOf(';')
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase()
}

function parsed(
  bytes: Buffer,
  kind: string | undefined,
  decode: (bytes: Buffer) => DecodedText,
): DecodedText {
  try {
    return decode(bytes)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const why = error.message.startsWith('yaml:')
      ? error.message
      : `couldn't get version/kind; json parse error: ${error.message}`
    if (kind === undefined) throw badRequest(why)
    throw badRequest(unrecognized(kind, why, bytes))
  }
}

function unrecognized(kind: string, why: string, bytes: Buffer): string {
  return `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`
}

function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const short = bytes.subarray(0, 30)
  const text = bytes[0] === 0x7b ? short.toString('utf8') : short.toString('hex')
  return bytes.length > 30 ? `${text} ...` : text
}
