import type { KubeObject } from '@agents/kube'
import { badRequest } from '../../status/api-error.ts'
import type { Fields } from '../fields.ts'
import type { BuiltinTables } from '../schema/tables.ts'
import { createMessageReader } from './read-message.ts'
import { WireError, wireFields } from './wire.ts'

const magic = Buffer.from('k8s\0')

/** Turns a protobuf request body into the object's JSON form. Throws a 400 if it cannot be decoded. */
export function createProtobufDecoder(tables: BuiltinTables): (bytes: Uint8Array) => KubeObject {
  let ids: Map<string, string> | undefined
  const readMessage = createMessageReader(tables)
  return (bytes) => {
    if (!magic.equals(bytes.subarray(0, 4))) {
      throw badRequest(
        `provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]`,
      )
    }
    try {
      const { apiVersion, kind, raw } = readEnvelope(bytes.subarray(4))
      ids ??= definitionIds(tables)
      const id = ids.get(`${apiVersion}/${kind}`)
      if (id === undefined) {
        throw badRequest(
          `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
        )
      }
      const object: Fields = { kind, apiVersion, ...(readMessage(id, raw) as Fields) }
      return object as unknown as KubeObject
    } catch (error) {
      if (error instanceof WireError) throw badRequest(error.message)
      throw error
    }
  }
}

interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly raw: Uint8Array
}

/** `runtime.Unknown`: type, content, and how the content is encoded. */
function readEnvelope(bytes: Uint8Array): Envelope {
  let apiVersion = ''
  let kind = ''
  let raw: Uint8Array = new Uint8Array()
  for (const field of wireFields(bytes)) {
    if (!('bytes' in field)) continue
    if (field.number === 1) {
      for (const part of wireFields(field.bytes)) {
        if (!('bytes' in part)) continue
        if (part.number === 1) apiVersion = Buffer.from(part.bytes).toString('utf8')
        if (part.number === 2) kind = Buffer.from(part.bytes).toString('utf8')
      }
    } else if (field.number === 2) raw = field.bytes
  }
  return { apiVersion, kind, raw }
}

function definitionIds({ definitions, protobuf }: BuiltinTables): Map<string, string> {
  const ids = new Map<string, string>()
  for (const [id, { gvk = [] }] of Object.entries(definitions)) {
    if (protobuf.messages[id] === undefined) continue
    for (const kind of gvk) ids.set(kind, id)
  }
  return ids
}
