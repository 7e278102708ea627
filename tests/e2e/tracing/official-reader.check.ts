import { parseConfig } from '@agents/config'
import { silentLogger } from '@agents/log'
import { openTracing, type SpanRecord, tracingSettings } from '@agents/tracing'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  buildGoReceiver,
  type GoReceiver,
  receiverHeaders,
  startGoReceiver,
} from './go-receiver.ts'

const program = await buildGoReceiver()
/** For the output of another process. */
const pollOptions = { timeout: 60_000 }
const silent = silentLogger

const context = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  isSampled: true,
}

/** A span that uses every field and attribute type. */
const full: SpanRecord = {
  context,
  parentSpanId: 'b7ad6b7169203331',
  name: 'run · größer',
  kind: 'server',
  startMs: 1_790_000_000_123.456,
  endMs: 1_790_000_001_000,
  attributes: {
    text: 'ä',
    empty: '',
    whole: 7,
    negative: -3,
    large: Number.MAX_SAFE_INTEGER,
    zero: 0,
    half: 0.5,
    yes: true,
    no: false,
    words: ['a', 'b'],
    none: undefined,
  },
  status: { code: 'error', message: 'it failed' },
  events: [{ name: 'seen', timeMs: 1_790_000_000_500, attributes: { by: 'somebody' } }],
  links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }],
}

function text(key: string, stringValue: string) {
  return { key, value: { stringValue } }
}

describe.skipIf(program === undefined)('the collector', () => {
  const open = async (protocol: string, headers = receiverHeaders) => {
    const receiver = await startGoReceiver(program ?? '')
    onTestFinished(() => receiver.stop())
    const config = parseConfig(tracingSettings, {
      OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? receiver.grpc : receiver.http,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: headers,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test%20bed',
    })
    const ports = { service: 'agents-test', version: '1.2.3', instance: 'one', log: silent }
    return { receiver, tracing: await openTracing(config, ports) }
  }
  const protocols = ['grpc', 'http/protobuf', 'http/json']

  test.each(protocols)('reads what %s sends', async (protocol) => {
    const { receiver, tracing } = await open(protocol)
    tracing.tracer.record(full)
    await tracing.close()
    expect(tracing.counts()).toMatchObject({ sent: 1 })
    await expect.poll(() => receiver.batches, pollOptions).toHaveLength(1)
    const [batch] = receiver.batches
    const [{ resource, scopeSpans } = { resource: {}, scopeSpans: [] }] = batch?.resourceSpans ?? []
    expect(resource).toMatchObject({
      attributes: expect.arrayContaining([
        text('service.name', 'agents-test'),
        text('service.instance.id', 'one'),
        text('deployment.environment.name', 'test bed'),
      ]),
    })
    const [span] = scopeSpans.flatMap(({ spans }) => spans)
    const { attributes, ...rest } = { attributes: [], ...span }
    expect(rest).toEqual({
      traceId: context.traceId,
      spanId: context.spanId,
      parentSpanId: 'b7ad6b7169203331',
      flags: 1,
      name: 'run · größer',
      kind: 2,
      startTimeUnixNano: '1790000000123456000',
      endTimeUnixNano: '1790000001000000000',
      events: [
        { timeUnixNano: '1790000000500000000', name: 'seen', attributes: [text('by', 'somebody')] },
      ],
      links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
      status: { message: 'it failed', code: 2 },
    })
    expect(attributes).toEqual([
      text('text', 'ä'),
      text('empty', ''),
      { key: 'whole', value: { intValue: '7' } },
      { key: 'negative', value: { intValue: '-3' } },
      { key: 'large', value: { intValue: '9007199254740991' } },
      { key: 'zero', value: { intValue: '0' } },
      { key: 'half', value: { doubleValue: 0.5 } },
      { key: 'yes', value: { boolValue: true } },
      { key: 'no', value: { boolValue: false } },
      {
        key: 'words',
        value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } },
      },
    ])
  })

  test.each(protocols)('may reject some of what %s sends', async (protocol) => {
    const { receiver, tracing } = await open(protocol)
    tracing.tracer.record({ ...full, name: 'unwanted' })
    tracing.tracer.record(full)
    await tracing.close()
    expect(tracing.counts()).toEqual({
      sent: 1,
      dropped: { queue_full: 0, unreachable: 0, refused: 1 },
    })
    await expect.poll(() => receiver.batches, pollOptions).toHaveLength(1)
  })

  test.each(protocols)('permanently refuses %s without its key', async (protocol) => {
    const { receiver, tracing } = await open(protocol, 'x-test-key=wrong')
    tracing.tracer.record(full)
    await tracing.close()
    expect(tracing.counts()?.dropped.refused).toBe(1)
    expect(receiver.batches).toEqual([])
  })

  test.each(protocols)('receives thousands of spans by %s', async (protocol) => {
    const { receiver, tracing } = await open(protocol)
    const total = 3000
    for (let n = 0; n < total; n++) tracing.tracer.record({ ...full, attributes: { n } })
    await tracing.close()
    expect(tracing.counts()).toMatchObject({ sent: total })
    const numbers = (): (string | undefined)[] => spansOf(receiver).map(numberOf)
    const all = Array.from({ length: total }, (_, n) => `${n}`)
    await expect.poll(numbers, pollOptions).toEqual(all)
  })
})

function spansOf({ batches }: GoReceiver): object[] {
  return batches.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
}

function numberOf(span: object): string | undefined {
  const { attributes } = span as { attributes: { value: { intValue: string } }[] }
  return attributes[0]?.value.intValue
}
