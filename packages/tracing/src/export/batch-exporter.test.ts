import { createLogger } from '@agents/log'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { newSpanId, newTraceId } from '../context/span-context.ts'
import type { SpanRecord } from '../span.ts'
import { BatchExporter, type ExportLimits } from './batch-exporter.ts'
import { grpcTransport } from './grpc-transport.ts'
import { httpTransport } from './http-transport.ts'
import type { Sent, Transport, TransportOptions } from './transport.ts'

const taken: Sent = { kind: 'taken', rejected: 0, because: '' }
const later: Sent = { kind: 'later', because: 'ECONNREFUSED' }
const refused: Sent = { kind: 'refused', because: 'HTTP 400' }

/** A collector that gives these answers, the last one from then on. */
function bench(answers: readonly Sent[], limits: Partial<ExportLimits> = {}) {
  const batches: string[][] = []
  const lines: string[] = []
  let isClosed = false
  const transport: Transport = {
    address: 'http://collector.test',
    send: async (_resource, spans) => {
      batches.push(spans.map(({ name }) => name))
      return answers[Math.min(batches.length, answers.length) - 1] ?? taken
    },
    close: () => {
      isClosed = true
    },
  }
  const log = createLogger({ sink: { write: (line) => lines.push(JSON.parse(line).message) } })
  const exporter = new BatchExporter({
    ...{ transport, resource: {}, log },
    // Nothing is sent before somebody asks for it, or a batch is full.
    limits: { delayMs: 3_600_000, backoffMs: 0, ...limits },
  })
  return { exporter, batches, lines, isClosed: () => isClosed }
}

const span = (name: string): SpanRecord => ({
  context: { traceId: newTraceId(), spanId: newSpanId(), isSampled: true },
  ...{ name, kind: 'internal', startMs: 1, endMs: 2, attributes: {} },
  ...{ status: { code: 'unset' }, events: [], links: [] },
})

const nothingDropped = { queue_full: 0, unreachable: 0, refused: 0 }

describe('spans', () => {
  test('go in batches, in their order', async () => {
    const { exporter, batches } = bench([taken], { batch: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) exporter.add(span(name))
    await exporter.flush()
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(exporter.counts).toEqual({ sent: 5, dropped: nothingDropped })
  })

  test('go by themselves after a while', async () => {
    const { exporter, batches } = bench([taken], { delayMs: 1 })
    exporter.add(span('a'))
    await expect.poll(() => batches, { timeout: 60_000 }).toEqual([['a']])
  })

  test('beyond what may wait are dropped and counted, and the others are sent', async () => {
    const { exporter, batches } = bench([taken], { queue: 2 })
    for (const name of ['a', 'b', 'c', 'd']) exporter.add(span(name))
    await exporter.flush()
    expect(batches).toEqual([['a', 'b']])
    expect(exporter.counts).toEqual({ sent: 2, dropped: { ...nothingDropped, queue_full: 2 } })
  })

  test('are tried again while the collector is away, which is told once, as is its return', async () => {
    const { exporter, batches, lines } = bench([later, later, later, taken])
    exporter.add(span('a'))
    await exporter.flush()
    exporter.add(span('b'))
    await exporter.flush()
    expect(batches).toEqual([['a'], ['a'], ['a'], ['a'], ['b']])
    expect(lines).toEqual([
      'traces cannot be exported; work goes on without',
      'traces are exported again',
    ])
    expect(exporter.counts).toEqual({ sent: 2, dropped: nothingDropped })
  })

  test('are given up after some tries, with one line however long it lasts', async () => {
    const { exporter, batches, lines } = bench([later], { tries: 3 })
    for (let round = 0; round < 20; round++) {
      exporter.add(span('a'))
      await exporter.flush()
    }
    expect(batches).toHaveLength(60)
    expect(lines).toHaveLength(1)
    expect(exporter.counts).toEqual({ sent: 0, dropped: { ...nothingDropped, unreachable: 20 } })
  })

  test('that are refused are not sent again', async () => {
    const { exporter, batches, lines } = bench([refused])
    exporter.add(span('a'))
    await exporter.flush()
    expect([batches.length, lines.length]).toEqual([1, 1])
    expect(exporter.counts.dropped).toEqual({ ...nothingDropped, refused: 1 })
  })

  test('of which some are refused are counted as such', async () => {
    const { exporter, lines } = bench([{ kind: 'taken', rejected: 1, because: 'too old' }])
    exporter.add(span('a'))
    exporter.add(span('b'))
    await exporter.flush()
    expect(lines).toHaveLength(1)
    expect(exporter.counts).toEqual({ sent: 1, dropped: { ...nothingDropped, refused: 1 } })
  })
})

describe('a collector that says what cannot be', () => {
  test.each([
    { because: 'it refuses more than it got', rejected: 9, sent: 0, refused: 2 },
    { because: 'it refuses less than nothing', rejected: -9, sent: 2, refused: 0 },
  ])('leaves the counters right: $because', async ({ rejected, sent, refused }) => {
    const { exporter } = bench([{ kind: 'taken', rejected, because: '' }])
    exporter.add(span('a'))
    exporter.add(span('b'))
    await exporter.flush()
    expect(exporter.counts).toEqual({ sent, dropped: { ...nothingDropped, refused } })
  })

  test('is asked again, although it wanted to be left alone for longer than a timer can wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { exporter, batches } = bench([{ ...later, afterMs: 1e12 }, taken])
    exporter.add(span('a'))
    const flushed = exporter.flush()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(batches).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(3_600_000)
    await flushed
    expect(batches).toHaveLength(2)
  })
})

test('a collector that takes too long is told about as such', async () => {
  const lines: string[] = []
  const transport: Transport = {
    address: 'http://collector.test',
    // What a cut connection says of itself is no help.
    send: (_resource, _spans, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(later))),
    close: () => undefined,
  }
  const log = createLogger({ sink: { write: (line) => lines.push(line) } })
  const limits = { timeoutMs: 1, tries: 1 }
  const exporter = new BatchExporter({ transport, resource: {}, log, limits })
  exporter.add(span('a'))
  await exporter.flush()
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual(['there was no answer in time'])
})

test('a span that cannot be written down costs its batch and nothing else', async () => {
  for (const open of [
    grpcTransport,
    (options: TransportOptions) => httpTransport(options, 'json'),
  ]) {
    const transport = open({ endpoint: new URL('http://127.0.0.1:1'), headers: {} })
    const log = createLogger({ sink: { write: () => undefined } })
    const exporter = new BatchExporter({ transport, resource: {}, log })
    exporter.add({ ...span('a'), startMs: Number.NaN })
    await exporter.flush()
    expect(exporter.counts).toEqual({ sent: 0, dropped: { ...nothingDropped, refused: 1 } })
    await exporter.close(0)
  }
})

describe('the end', () => {
  test('sends what waits, and takes nothing more', async () => {
    const { exporter, batches, isClosed } = bench([taken])
    exporter.add(span('a'))
    await exporter.close(60_000)
    exporter.add(span('b'))
    expect([batches, isClosed()]).toEqual([[['a']], true])
    expect(exporter.counts).toEqual({ sent: 1, dropped: { ...nothingDropped, queue_full: 1 } })
  })

  test('does not wait for a collector that is away', async () => {
    const { exporter, batches } = bench([later], { backoffMs: 3_600_000 })
    exporter.add(span('a'))
    const flushed = exporter.flush()
    await expect.poll(() => batches.length, { timeout: 60_000 }).toBe(1)
    await exporter.close(60_000)
    await flushed
    // Once more, because it may be back, and that was all.
    expect(batches).toHaveLength(2)
    expect(exporter.counts.dropped.unreachable).toBe(1)
  })

  test('cuts off a collector that does not answer', async () => {
    const transport: Transport = {
      address: 'http://collector.test',
      send: (_resource, _spans, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(later))),
      close: () => undefined,
    }
    const log = createLogger({ sink: { write: () => undefined } })
    const exporter = new BatchExporter({ transport, resource: {}, log })
    exporter.add(span('a'))
    await exporter.close(1)
    expect(exporter.counts.dropped.unreachable).toBe(1)
  })
})
