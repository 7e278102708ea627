import { createTracer, noTracer, type SpanRecord } from '@agents/tracing'
import { describe, expect, test } from 'vitest'
import { traceWindow, type WindowTrace } from './window-trace.ts'

const confirmation = { commit: 'c1', written: true, changed: ['a/secret-name.yaml'], refused: [] }

function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 0, 2, 12, 0, seconds))
}

const times = { startedAt: at(1), builtAt: at(2), pushedAt: at(4) }

async function traced(work: (trace: WindowTrace) => Promise<void>, openedMs?: number) {
  const spans: SpanRecord[] = []
  const tracer = createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) })
  const of = { target: 'team/mirror', branch: 'main', kind: 'snapshot', openedMs } as const
  await traceWindow(tracer, of, work).catch(() => undefined)
  return spans
}

describe('a window', () => {
  test('is a trace from its first change on, with snapshot, commit and push', async () => {
    const spans = await traced(async (trace) => {
      trace.compared()
      trace.confirmed(confirmation, times)
    }, at(0).getTime())
    const window = spans.find(({ name }) => name === 'commit window')
    expect(window).toMatchObject({
      startMs: at(0).getTime(),
      attributes: {
        'gittarget.target': 'team/mirror',
        'vcs.ref.head.revision': 'c1',
        'gittarget.files.changed': 1,
      },
    })
    const below = spans.filter(({ parentSpanId }) => parentSpanId === window?.context.spanId)
    expect(below.map(({ name }) => name)).toEqual(['snapshot', 'commit', 'push'])
    expect(below[1]).toMatchObject({ startMs: at(1).getTime(), endMs: at(2).getTime() })
    expect(below[2]).toMatchObject({ startMs: at(2).getTime(), endMs: at(4).getTime() })
    // Names of objects may be confidential.
    expect(JSON.stringify(spans)).not.toContain('secret-name')
  })

  test('that needed no commit is not traced', async () => {
    const spans = await traced(async (trace) => {
      trace.compared()
      trace.confirmed({ ...confirmation, written: false }, times)
    })
    expect(spans).toEqual([])
  })

  test('that fails is marked as failed', async () => {
    const spans = await traced(() => Promise.reject(new Error('refused')))
    expect(spans).toMatchObject([{ name: 'commit window', status: { code: 'error' } }])
  })

  test('is not traced if tracing is off', async () => {
    let notifications = 0
    const of = { target: 't', branch: 'main', kind: 'changes' } as const
    await traceWindow(noTracer, of, async (trace) => {
      trace.compared()
      trace.confirmed(confirmation, undefined)
      notifications += 1
    })
    expect(notifications).toBe(1)
  })
})
