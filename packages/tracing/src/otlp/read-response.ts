/** The rejected spans of an ExportTraceServiceResponse. */
interface PartialSuccess {
  readonly rejected: number
  readonly because: string
}

const none: PartialSuccess = { rejected: 0, because: '' }

export function readJsonResponse(body: Buffer): PartialSuccess {
  if (body.length === 0) return none
  try {
    const { partialSuccess = {} } = JSON.parse(body.toString('utf8')) ?? {}
    const { rejectedSpans = 0, errorMessage = '' } = partialSuccess
    return { rejected: Number(rejectedSpans) || 0, because: String(errorMessage) }
  } catch {
    // The status was OK, so an unreadable body does not matter.
    return none
  }
}

export function readProtobufResponse(body: Buffer): PartialSuccess {
  try {
    const partial = fieldsOf(body).get(1)
    if (!Buffer.isBuffer(partial)) return none
    const fields = fieldsOf(partial)
    const because = fields.get(2)
    return {
      rejected: Number(fields.get(1) ?? 0) || 0,
      because: Buffer.isBuffer(because) ? because.toString('utf8') : '',
    }
  } catch {
    return none
  }
}

/** The last value of each field: numbers as bigint, messages and strings as bytes. */
function fieldsOf(bytes: Buffer): Map<number, bigint | Buffer> {
  const fields = new Map<number, bigint | Buffer>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at)
      at += 1
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  const take = (size: number): Buffer => {
    if (at + size > bytes.length) throw new RangeError('the message is truncated')
    at += size
    return bytes.subarray(at - size, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    const value = type === 0 ? varint() : take(type === 2 ? Number(varint()) : type === 1 ? 8 : 4)
    fields.set(tag >> 3, value)
  }
  return fields
}
