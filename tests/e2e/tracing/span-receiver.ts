import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span in OTLP JSON, with the service name of the process that sent it. */
export interface ReceivedSpan {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code: number }
}

export interface SpanReceiver {
  readonly endpoint: string
  readonly spans: ReceivedSpan[]
  stop(): Promise<void>
}

/** Receives spans by http/json on loopback. */
export async function startSpanReceiver(): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = []
  const server = createServer((request, response) => {
    void json(request).then((batch) => {
      spans.push(...spansOf(batch as Batch))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'service'> & {
        readonly attributes: readonly KeyValue[]
      })[]
    }[]
  }[]
}

export function spansOf({ resourceSpans }: Batch): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, attributes: plain(span.attributes) })),
    )
  })
}

function plain(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
