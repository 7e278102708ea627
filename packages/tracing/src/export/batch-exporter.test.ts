import { createLogger, silentLogger } from '@agents/log'
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

/** A collector that returns these responses in order, and then repeats the last one. */
function harness(answers: readonly Sent[], limits: Partial<ExportLimits> = {}) {
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
    // Nothing is sent before a flush or a full batch.
    limits: { delayMs: 3_600_000, backoffMs: 0, ...limits },
  })
  return { exporter, batches, lines, isClosed: () => isClosed }
}

function span(name: string): SpanRecord {
  return {
    context: { traceId: newTraceId(), spanId: newSpanId(), isSampled: true },
    ...{ name, kind: 'internal', startMs: 1, endMs: 2, attributes: {} },
    ...{ status: { code: 'unset' }, events: [], links: [] },
  }
}

const nothingDropped = { queue_full: 0, unreachable: 0, refused: 0 }

describe('spans', () => {
  test('are sent in batches, in order', async () => {
    const { exporter, batches } = harness([taken], { batch: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) exporter.add(span(name))
    await exporter.flush()
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    expect(exporter.counts).toEqual({ sent: 5, dropped: nothingDropped })
  })

  test('are sent after the delay', async () => {
    const { exporter, batches } = harness([taken], { delayMs: 1 })
    exporter.add(span('a'))
    await expect.poll(() => batches, { timeout: 60_000 }).toEqual([['a']])
  })

  test('that do not fit the queue are dropped and counted, and the others are sent', async () => {
    const { exporter, batches } = harness([taken], { queue: 2 })
    for (const name of ['a', 'b', 'c', 'd']) exporter.add(span(name))
    await exporter.flush()
    expect(batches).toEqual([['a', 'b']])
    expect(exporter.counts).toEqual({ sent: 2, dropped: { ...nothingDropped, queue_full: 2 } })
  })

  test('are retried while the collector is unavailable; failure and recovery are logged once', async () => {
    const { exporter, batches, lines } = harness([later, later, later, taken])
    exporter.add(span('a'))
    await exporter.flush()
    exporter.add(span('b'))
    await exporter.flush()
    expect(batches).toEqual([['a'], ['a'], ['a'], ['a'], ['b']])
    expect(lines).toEqual(['trace export failed; spans are dropped', 'trace export recovered'])
    expect(exporter.counts).toEqual({ sent: 2, dropped: nothingDropped })
  })

  test('are dropped after some attempts, with one log line however long it lasts', async () => {
    const { exporter, batches, lines } = harness([later], { tries: 3 })
    for (let round = 0; round < 20; round++) {
      exporter.add(span('a'))
      await exporter.flush()
    }
    expect(batches).toHaveLength(60)
    expect(lines).toHaveLength(1)
    expect(exporter.counts).toEqual({ sent: 0, dropped: { ...nothingDropped, unreachable: 20 } })
  })

  test('that are rejected are not sent again', async () => {
    const { exporter, batches, lines } = harness([refused])
    exporter.add(span('a'))
    await exporter.flush()
    expect([batches.length, lines.length]).toEqual([1, 1])
    expect(exporter.counts.dropped).toEqual({ ...nothingDropped, refused: 1 })
  })

  test('that are partially rejected are counted as such', async () => {
    const { exporter, lines } = harness([{ kind: 'taken', rejected: 1, because: 'too old' }])
    exporter.add(span('a'))
    exporter.add(span('b'))
    await exporter.flush()
    expect(lines).toHaveLength(1)
    expect(exporter.counts).toEqual({ sent: 1, dropped: { ...nothingDropped, refused: 1 } })
  })
})

describe('a collector with invalid responses', () => {
  test.each([
    { because: 'it rejects more than it received', rejected: 9, sent: 0, refused: 2 },
    { because: 'it rejects a negative number', rejected: -9, sent: 2, refused: 0 },
  ])('does not corrupt the counters: $because', async ({ rejected, sent, refused }) => {
    const { exporter } = harness([{ kind: 'taken', rejected, because: '' }])
    exporter.add(span('a'))
    exporter.add(span('b'))
    await exporter.flush()
    expect(exporter.counts).toEqual({ sent, dropped: { ...nothingDropped, refused } })
  })

  test('is retried, although it requested a longer pause than a timer supports', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { exporter, batches } = harness([{ ...later, afterMs: 1e12 }, taken])
    exporter.add(span('a'))
    const flushed = exporter.flush()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(batches).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(3_600_000)
    await flushed
    expect(batches).toHaveLength(2)
  })
})

test('a collector that does not answer in time is logged as such', async () => {
  const lines: string[] = []
  const transport: Transport = {
    address: 'http://collector.test',
    // The error of an aborted connection does not mention the timeout.
    send: (_resource, _spans, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(later))),
    close: () => undefined,
  }
  const log = createLogger({ sink: { write: (line) => lines.push(line) } })
  const limits = { timeoutMs: 1, tries: 1 }
  const exporter = new BatchExporter({ transport, resource: {}, log, limits })
  exporter.add(span('a'))
  await exporter.flush()
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual([
    'the collector did not respond in time',
  ])
})

test('a span that cannot be encoded drops its batch only', async () => {
  for (const open of [
    grpcTransport,
    (options: TransportOptions) => httpTransport(options, 'json'),
  ]) {
    const transport = open({ endpoint: new URL('http://127.0.0.1:1'), headers: {} })
    const log = silentLogger
    const exporter = new BatchExporter({ transport, resource: {}, log })
    exporter.add({ ...span('a'), startMs: Number.NaN })
    await exporter.flush()
    expect(exporter.counts).toEqual({ sent: 0, dropped: { ...nothingDropped, refused: 1 } })
    await exporter.close(0)
  }
})

describe('close', () => {
  test('sends queued spans, and accepts no more', async () => {
    const { exporter, batches, isClosed } = harness([taken])
    exporter.add(span('a'))
    await exporter.close(60_000)
    exporter.add(span('b'))
    expect([batches, isClosed()]).toEqual([[['a']], true])
    expect(exporter.counts).toEqual({ sent: 1, dropped: { ...nothingDropped, queue_full: 1 } })
  })

  test('does not wait for an unavailable collector', async () => {
    const { exporter, batches } = harness([later], { backoffMs: 3_600_000 })
    exporter.add(span('a'))
    const flushed = exporter.flush()
    await expect.poll(() => batches.length, { timeout: 60_000 }).toBe(1)
    await exporter.close(60_000)
    await flushed
    // One last attempt, because the collector may be back.
    expect(batches).toHaveLength(2)
    expect(exporter.counts.dropped.unreachable).toBe(1)
  })

  test('aborts a request that is not answered', async () => {
    const transport: Transport = {
      address: 'http://collector.test',
      send: (_resource, _spans, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(later))),
      close: () => undefined,
    }
    const log = silentLogger
    const exporter = new BatchExporter({ transport, resource: {}, log })
    exporter.add(span('a'))
    await exporter.close(1)
    expect(exporter.counts.dropped.unreachable).toBe(1)
  })
})
