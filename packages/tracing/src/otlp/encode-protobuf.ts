import type { SpanContext } from '../context/span-context.ts'
import type { Attributes, AttributeValue, SpanEvent, SpanRecord, SpanStatus } from '../span.ts'
import { flagsOf } from './encode-json.ts'
import { ProtobufWriter } from './protobuf-writer.ts'
import { nanoseconds, type Resource, scopeName, spanKinds, statusCodes } from './resource.ts'

/** An ExportTraceServiceRequest. Field numbers are from opentelemetry/proto/trace/v1/trace.proto. */
export function encodeProtobuf(resource: Resource, spans: readonly SpanRecord[]): Buffer {
  const request = new ProtobufWriter()
  request.message(1, (resourceSpans) => {
    resourceSpans.message(1, (message) => writeAttributes(message, 1, resource))
    resourceSpans.message(2, (scopeSpans) => {
      scopeSpans.message(1, (scope) => scope.text(1, scopeName))
      for (const span of spans) scopeSpans.message(2, (message) => writeSpan(message, span))
    })
  })
  return request.finish()
}

function writeSpan(message: ProtobufWriter, span: SpanRecord): void {
  const { context, parentSpanId, name, kind, startMs, endMs, attributes, events, links } = span
  message.hex(1, context.traceId)
  message.hex(2, context.spanId)
  if (parentSpanId !== undefined) message.hex(4, parentSpanId)
  message.text(5, name)
  message.uint(6, spanKinds[kind])
  message.fixed64(7, nanoseconds(startMs))
  message.fixed64(8, nanoseconds(endMs))
  writeAttributes(message, 9, attributes)
  for (const event of events) message.message(11, (inner) => writeEvent(inner, event))
  for (const link of links) message.message(13, (inner) => writeLink(inner, link))
  message.message(15, (inner) => writeStatus(inner, span.status))
  message.fixed32(16, flagsOf(context))
}

function writeEvent(message: ProtobufWriter, { timeMs, name, attributes }: SpanEvent): void {
  message.fixed64(1, nanoseconds(timeMs))
  message.text(2, name)
  writeAttributes(message, 3, attributes)
}

function writeLink(message: ProtobufWriter, { traceId, spanId }: SpanContext): void {
  message.hex(1, traceId)
  message.hex(2, spanId)
}

function writeStatus(message: ProtobufWriter, { code, message: said }: SpanStatus): void {
  if (said !== undefined) message.text(2, said)
  if (code !== 'unset') message.uint(3, statusCodes[code])
}

function writeAttributes(message: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue
    message.message(field, (keyValue) => {
      keyValue.text(1, key)
      keyValue.message(2, (anyValue) => writeValue(anyValue, value))
    })
  }
}

/** A oneof field, which is written even if it is 0 or empty. */
function writeValue(message: ProtobufWriter, value: AttributeValue): void {
  if (typeof value === 'string') message.text(1, value)
  else if (typeof value === 'boolean') message.uint(2, value ? 1 : 0)
  else if (typeof value !== 'number') {
    message.message(5, (array) => {
      for (const one of value) array.message(1, (inner) => inner.text(1, one))
    })
  } else if (Number.isSafeInteger(value)) message.int64(3, value)
  else message.double(4, value)
}
