import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { samplerOf } from './context/sampler.ts'
import { logFields } from './log-fields.ts'
import type { SpanRecord } from './span.ts'
import { createTracer, noTracer } from './tracer.ts'

function recording(sampler = samplerOf('parentbased_always_on', 1)) {
  const spans: SpanRecord[] = []
  const tracer = createTracer({ sampler, onEnd: (span) => spans.push(span) })
  const named = (name: string): SpanRecord => {
    const found = spans.find((span) => span.name === name)
    if (!found) throw new Error(`no span ${name}`)
    return found
  }
  return { tracer, spans, named }
}

describe('a span', () => {
  test('is a child of the current one, also across awaits and concurrently', async () => {
    const { tracer, spans, named } = recording()
    await tracer.trace('all', {}, async () => {
      await Promise.all(
        ['a', 'b'].map((name) =>
          tracer.trace(name, {}, async () => {
            await sleep(1)
            await tracer.trace(`${name} inner`, {}, async () => undefined)
          }),
        ),
      )
    })
    expect(new Set(spans.map(({ context }) => context.traceId)).size).toBe(1)
    expect(named('all').parentSpanId).toBeUndefined()
    for (const name of ['a', 'b']) {
      expect(named(name).parentSpanId).toBe(named('all').context.spanId)
      expect(named(`${name} inner`).parentSpanId).toBe(named(name).context.spanId)
    }
  })

  test('is within the time of its parent', async () => {
    const { tracer, named } = recording()
    await tracer.trace('outer', {}, () => tracer.trace('inner', {}, () => sleep(2)))
    const [outer, inner] = [named('outer'), named('inner')]
    expect(inner.startMs).toBeGreaterThanOrEqual(outer.startMs)
    expect(inner.endMs).toBeLessThanOrEqual(outer.endMs)
    expect(inner.endMs).toBeGreaterThan(inner.startMs)
  })

  test('continues a trace from elsewhere, or starts a new one', async () => {
    const { tracer, named } = recording()
    const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }
    await tracer.trace('continued', { parent: context }, async () => {
      tracer.start('separate', { parent: 'none' }).end()
    })
    tracer.within(context, () => tracer.start('within').end())
    expect(named('continued')).toMatchObject({
      context: { traceId: context.traceId },
      parentSpanId: context.spanId,
    })
    expect(named('within').parentSpanId).toBe(context.spanId)
    expect(named('separate').parentSpanId).toBeUndefined()
    expect(named('separate').context.traceId).not.toBe(context.traceId)
  })

  test('contains the attributes that were set, and omits undefined ones', () => {
    const { tracer, named } = recording()
    const other = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }
    const span = tracer.start('x', { kind: 'server', attributes: { a: 1, none: undefined } })
    span.set({ a: 2, long: 'x'.repeat(5000) })
    span.event('seen', { b: true })
    span.link(other)
    span.end()
    const { attributes, events, links, kind, status } = named('x')
    expect(attributes).toMatchObject({ a: 2 })
    expect(attributes).not.toHaveProperty('none')
    expect(String(attributes.long)).toHaveLength(1024)
    expect(events).toMatchObject([{ name: 'seen', attributes: { b: true } }])
    expect([links, kind, status]).toEqual([[other], 'server', { code: 'unset' }])
  })

  test('may have an earlier start time', () => {
    const { tracer, named } = recording()
    const startMs = Date.now() - 1_000
    tracer.start('x', { startMs }).end()
    expect(named('x').startMs).toBe(startMs)
    expect(named('x').endMs).toBeGreaterThan(startMs)
  })

  test('is exported once, and not at all if it is discarded', () => {
    const { tracer, spans } = recording()
    const span = tracer.start('once')
    span.end()
    span.end()
    const other = tracer.start('discarded')
    other.discard()
    other.end()
    expect(spans.map(({ name }) => name)).toEqual(['once'])
  })

  test('of work that throws is marked as failed, without secrets, and the error is rethrown', async () => {
    const { tracer, named } = recording()
    const error = new TypeError('cannot reach https://u:hunter2@git.test')
    const work = tracer.trace('x', {}, () => Promise.reject(error))
    await expect(work).rejects.toBe(error)
    expect(named('x').status.code).toBe('error')
    expect(named('x').events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'TypeError' } },
    ])
    expect(JSON.stringify(named('x'))).not.toContain('hunter2')
    expect(JSON.stringify(named('x'))).toContain('git.test')
  })

  test('that is not sampled still has a context for child spans', async () => {
    const { tracer, spans } = recording(samplerOf('parentbased_always_off', 0))
    const parent = await tracer.trace('x', {}, async (span) => {
      const inner = tracer.start('y')
      inner.end()
      expect(inner.context.traceId).toBe(span.context.traceId)
      return span.context
    })
    expect(parent.isSampled).toBe(false)
    expect(spans).toEqual([])
  })

  test('that has already ended is recorded if its context is sampled', () => {
    const { tracer, spans } = recording()
    const span: Omit<SpanRecord, 'context'> = {
      ...{ name: 'past', kind: 'internal', startMs: 1, endMs: 2, attributes: {} },
      ...{ status: { code: 'unset' }, events: [], links: [] },
    }
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
    tracer.record({ ...span, context: { ...ids, isSampled: false } })
    tracer.record({ ...span, context: { ...ids, isSampled: true } })
    expect(spans).toHaveLength(1)
  })
})

describe('a log line', () => {
  test('has the ids of the current span, if there is one', async () => {
    const { tracer } = recording()
    expect(logFields(tracer)).toEqual({})
    await tracer.trace('x', {}, async ({ context }) => {
      expect(logFields(tracer)).toEqual({ trace_id: context.traceId, span_id: context.spanId })
    })
    expect(logFields(noTracer)).toEqual({})
  })
})

describe('a tracer that is off', () => {
  test('only runs the work', async () => {
    const error = new Error('x')
    expect(await noTracer.trace('x', {}, async () => 7)).toBe(7)
    await expect(noTracer.trace('x', {}, () => Promise.reject(error))).rejects.toBe(error)
    expect(noTracer.within(noTracer.start('x').context, () => noTracer.current())).toBeUndefined()
    expect(noTracer.keeps('f'.repeat(32))).toBe(false)
  })
})
