import type { KubeObject } from '@agents/kube'
import { badRequest, unsupportedMediaType } from './api-error.ts'
import { type DecodedText, decodeJson, decodeYaml } from './decode-text.ts'

/** Decodes a `k8s\0` protobuf envelope into the object's JSON form; throws an ApiError for an unknown kind. */
export type DecodeProtobuf = (bytes: Buffer) => KubeObject

const protobufType = 'application/vnd.kubernetes.protobuf'

/** Parses a body by its content type. `kind` is what the path expects, for the message; undefined for mere options. */
export function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  kind: string | undefined,
  decodeProtobuf: DecodeProtobuf | undefined,
): DecodedText {
  const type = mediaType(contentType)
  switch (type) {
    // A missing type counts as the first that is supported.
    case '':
    case 'application/json':
      return parsed(bytes, kind, decodeJson)
    case 'application/yaml':
      return parsed(bytes, kind, decodeYaml)
    case protobufType:
      if (decodeProtobuf !== undefined) {
        return { value: decodeProtobuf(bytes) as never, duplicates: [] }
      }
      break
  }
  throw unsupportedMediaType(['application/json', 'application/yaml', protobufType])
}

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
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`,
    )
  }
}

function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>'
  const short = bytes.subarray(0, 30)
  const text = bytes[0] === 0x7b ? short.toString('utf8') : short.toString('hex')
  return bytes.length > 30 ? `${text} ...` : text
}
