import {
  anyText,
  boolean,
  decodeMessage,
  inline,
  integer,
  listOf,
  type Message,
  mapOf,
  message,
  nested,
  nonZero,
  text,
  time,
} from './message.ts'
import type { WireReader } from './wire-reader.ts'

/** Kubernetes puts these bytes before a message, which then says what it is. */
const prefix = Buffer.from('k8s\0')

const protobufType = 'application/vnd.kubernetes.protobuf'

/** For an Accept header: protobuf, or JSON from a server that has no protobuf for the kind. */
export const acceptProtobuf = `${protobufType},application/json`

export function isProtobuf(contentType: string | undefined): boolean {
  return contentType?.startsWith(protobufType) ?? false
}

const ownerReference = message({
  kind: [1, anyText],
  name: [3, anyText],
  uid: [4, anyText],
  apiVersion: [5, anyText],
  controller: [6, boolean],
  blockOwnerDeletion: [7, boolean],
})

/** Without managedFields. */
const objectMeta = message({
  name: [1, text],
  generateName: [2, text],
  namespace: [3, text],
  uid: [5, text],
  resourceVersion: [6, text],
  generation: [7, nonZero],
  creationTimestamp: [8, time],
  deletionTimestamp: [9, time],
  deletionGracePeriodSeconds: [10, integer],
  labels: [11, mapOf(anyText)],
  annotations: [12, mapOf(anyText)],
  ownerReferences: [13, listOf(nested(ownerReference))],
  finalizers: [14, listOf(anyText)],
})

/** The fields of an object of a kind: its metadata, and those given. */
export function objectMessage(fields: Parameters<typeof message>[0]): Message {
  return message({ metadata: [1, nested(objectMeta)], ...fields })
}

const listMeta = message({
  resourceVersion: [2, text],
  continue: [3, text],
  remainingItemCount: [4, integer],
})

const statusCause = message({ reason: [1, text], message: [2, text], field: [3, text] })

const statusDetails = message({
  name: [1, text],
  group: [2, text],
  kind: [3, text],
  causes: [4, listOf(nested(statusCause))],
  retryAfterSeconds: [5, nonZero],
  uid: [6, text],
})

const status = message({
  metadata: [1, nested(listMeta)],
  status: [2, text],
  message: [3, text],
  reason: [4, text],
  details: [5, nested(statusDetails)],
  code: [6, nonZero],
})

const typeMeta = message({ apiVersion: [1, text], kind: [2, text] })

function raw(reader: WireReader): Buffer {
  return reader.bytes()
}

const envelope = message({ type: [1, inline(typeMeta)], raw: [2, raw] })

interface Envelope {
  readonly apiVersion?: string
  readonly kind?: string
  readonly raw?: Buffer
}

/** Decodes an object, or the Status that the server sends instead. Throws RangeError if it is invalid. */
export function decodeObject(bytes: Buffer, fields: Message): Record<string, unknown> {
  if (!bytes.subarray(0, prefix.length).equals(prefix)) {
    throw new RangeError('the message does not begin as one of Kubernetes')
  }
  const { raw: content = empty, ...type } = decodeMessage(
    bytes.subarray(prefix.length),
    envelope,
  ) as Envelope
  return { ...type, ...decodeMessage(content, type.kind === 'Status' ? status : fields) }
}

const empty = Buffer.alloc(0)

/** Decodes a list of objects. */
export function decodeList(bytes: Buffer, fields: Message): Record<string, unknown> {
  const list = message({ metadata: [1, nested(listMeta)], items: [2, listOf(nested(fields))] })
  return decodeObject(bytes, list)
}

const rawExtension = message({ raw: [1, raw] })
const watchEvent = message({ type: [1, anyText], object: [2, nested(rawExtension)] })

/** Decodes one event of a watch. */
export function decodeWatchEvent(
  bytes: Buffer,
  fields: Message,
): { readonly type: unknown; readonly object: unknown } {
  const { type, object } = decodeMessage(bytes, watchEvent) as {
    readonly type?: string
    readonly object?: { readonly raw?: Buffer }
  }
  const content = object?.raw
  return { type, object: content === undefined ? undefined : decodeObject(content, fields) }
}

/** Decodes the Status of a response that is not 2xx. */
export function decodeStatus(bytes: Buffer): Record<string, unknown> {
  return decodeObject(bytes, status)
}
