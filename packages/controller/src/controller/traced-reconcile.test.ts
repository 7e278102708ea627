import type { KubeObject } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { createTracer, noTracer, type SpanRecord } from '@agents/tracing'
import { describe, expect, test } from 'vitest'
import type { Reconcile, ReconcileContext } from './reconcile-function.ts'
import { tracedReconcile } from './traced-reconcile.ts'

const object: KubeObject = {
  apiVersion: 'agents.proompteng.ai/v1alpha1',
  kind: 'AgentRun',
  metadata: { name: 'run', namespace: 'agents', uid: 'u' },
}
const context: ReconcileContext = {
  key: { namespace: 'agents', name: 'run' },
  now: new Date(0),
  signal: new AbortController().signal,
  log: silentLogger,
  remember: () => undefined,
}
const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }

async function looked(reconcile: Reconcile): Promise<SpanRecord[]> {
  const spans: SpanRecord[] = []
  const tracer = createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) })
  const traced = tracedReconcile(reconcile, { tracer, kind: 'AgentRun', parentOf: () => parent })
  await traced(object, context).catch(() => undefined)
  return spans
}

describe('a traced reconcile', () => {
  test('that writes is recorded as a span in the trace of its object', async () => {
    const spans = await looked(async (seen, { remember }) => {
      remember(seen)
      return {}
    })
    expect(spans).toMatchObject([
      {
        name: 'reconcile AgentRun',
        context: { traceId: parent.traceId },
        parentSpanId: parent.spanId,
        attributes: { 'k8s.namespace.name': 'agents', 'agents.object.name': 'run' },
        status: { code: 'unset' },
      },
    ])
  })

  test('that fails is recorded as a span', async () => {
    const spans = await looked(() => Promise.reject(new Error('x')))
    expect(spans).toMatchObject([{ status: { code: 'error', message: 'x' } }])
  })

  test('that finds nothing to do is not recorded', async () => {
    expect(await looked(async () => ({}))).toEqual([])
  })

  test('gets an unchanged context, and is not wrapped if tracing is off', async () => {
    let given: ReconcileContext | undefined
    await looked(async (_seen, received) => {
      given = { ...received }
      return {}
    })
    expect(given).toMatchObject({ key: context.key, now: context.now, signal: context.signal })
    expect(given?.log).toBe(context.log)
    const reconcile: Reconcile = async () => ({})
    expect(tracedReconcile(reconcile, { tracer: noTracer, kind: 'AgentRun' })).toBe(reconcile)
  })
})
