import type { SpanContext } from '../context/span-context.ts'
import type { Attributes, AttributeValue, SpanRecord } from '../span.ts'
import { nanoseconds, type Resource, scopeName, spanKinds, statusCodes } from './resource.ts'

/** An ExportTraceServiceRequest in OTLP's JSON: ids in hexadecimal, large numbers as text, enums as numbers. */
export function encodeJson(resource: Resource, spans: readonly SpanRecord[]): Buffer {
  const request = {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: scopeName }, spans: spans.map(spanJson) }],
      },
    ],
  }
  return Buffer.from(JSON.stringify(request))
}

function spanJson(span: SpanRecord): object {
  const { context, parentSpanId, name, kind, startMs, endMs, status } = span
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    flags: flagsOf(context),
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: `${nanoseconds(startMs)}`,
    endTimeUnixNano: `${nanoseconds(endMs)}`,
    attributes: keyValues(span.attributes),
    events: span.events.map((event) => ({
      timeUnixNano: `${nanoseconds(event.timeMs)}`,
      name: event.name,
      attributes: keyValues(event.attributes),
    })),
    links: span.links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
    status: {
      code: statusCodes[status.code],
      ...(status.message !== undefined && { message: status.message }),
    },
  }
}

export function flagsOf({ isSampled }: SpanContext): number {
  return isSampled ? 1 : 0
}

function keyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value }
  }
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
}
