import { decodeObject, isProtobuf } from '../protobuf/kubernetes.ts'
import type { Message } from '../protobuf/message.ts'
import { decodeBody, decodeWith } from '../transport/decode-body.ts'
import type { RawAnswer, RawRequest } from '../transport/transport.ts'

/** Decodes the fields of a response in protobuf, and all of one in JSON, which servers without protobuf send. */
export function decodeAnswer(
  request: RawRequest,
  answer: RawAnswer,
  fields: Message | undefined,
  decode: (bytes: Buffer, fields: Message) => unknown = decodeObject,
): unknown {
  if (fields === undefined || !isProtobuf(answer.headers['content-type'])) {
    return decodeBody(request, answer)
  }
  return decodeWith(request, answer, (bytes) => decode(bytes, fields))
}
