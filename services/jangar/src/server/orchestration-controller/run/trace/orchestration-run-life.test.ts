import type { OrchestrationRun } from '@agents/jangar-api'
import { createTracer, type SpanRecord } from '@agents/tracing'
import { expect, test } from 'vitest'
import { runTrace } from '../../../trace/run-trace.ts'
import { OrchestrationRunLife } from './orchestration-run-life.ts'
import { stepContext } from './orchestration-run-trace.ts'

const start = Date.parse('2026-01-02T12:00:00Z')
function at(seconds: number): string {
  return new Date(start + seconds * 1000).toISOString().replace('.000Z', 'Z')
}

function recording() {
  const spans: SpanRecord[] = []
  return { tracer: createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) }), spans }
}

function runWith(stepStatuses: readonly object[], status: object = {}): OrchestrationRun {
  const condition = (type: string, seconds: number) => ({
    ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: at(seconds) },
  })
  return {
    apiVersion: 'orchestration.proompteng.ai/v1alpha1',
    kind: 'OrchestrationRun',
    metadata: {
      ...{ name: 'fix', namespace: 'agents', creationTimestamp: at(0) },
      uid: '0b6ae7d1-93a4-4d6e-9f14-1f2f6f3f6a01',
    },
    spec: { orchestrationRef: { name: 'graph' }, parameters: { goal: 'a text' } },
    status: {
      conditions: [condition('Accepted', 1), condition('Admitted', 1)],
      stepStatuses,
      ...status,
    },
  } as unknown as OrchestrationRun
}

const plan = { name: 'plan', kind: 'AgentRun', phase: 'Succeeded', attempt: 1 }
const planned = { ...plan, startedAt: at(2), finishedAt: at(10), outputs: { what: 'a text' } }
const first = { attempt: 1, startedAt: at(10), finishedAt: at(12) }
const building = { name: 'build', kind: 'ToolRun', phase: 'Running', attempt: 2 }
const running = { ...building, startedAt: at(14), attempts: [first] }
const skipped = { name: 'merge', kind: 'ToolRun', phase: 'Skipped', finishedAt: at(20) }
const reused = { name: 'look', kind: 'ToolRun', phase: 'Succeeded', finishedAt: at(1) }

function steps(spans: readonly SpanRecord[]) {
  return spans
    .filter(({ name }) => name === 'step')
    .map(({ attributes, startMs, endMs, status }) => [
      attributes['agents.step.name'],
      (startMs - start) / 1000,
      (endMs - start) / 1000,
      status.code,
    ])
}

test('a step is a span of its run, once, from its first attempt on', () => {
  const { tracer, spans } = recording()
  const life = new OrchestrationRunLife(tracer, runWith([]), start)
  life.see(runWith([reused, { ...plan, phase: 'Running', startedAt: at(2) }]), start + 2_500)
  life.see(runWith([reused, planned, running]), start + 10_400)
  life.see(runWith([reused, planned, running]), start + 12_000)
  const failed = { ...running, phase: 'Failed', reason: 'RetriesExhausted', finishedAt: at(20) }
  life.end(runWith([reused, planned, failed, skipped], { phase: 'Failed' }), start + 25_000)
  expect(steps(spans)).toEqual([
    ['plan', 2, 10.4, 'ok'],
    ['build', 10, 21, 'error'],
  ])
  const trace = runTrace(runWith([]), tracer)
  expect(spans.find(({ name }) => name === 'step')).toMatchObject({
    context: stepContext(trace, 'plan'),
    parentSpanId: trace.root.spanId,
  })
  expect(spans.at(-1)?.name).toBe('OrchestrationRun')
  expect(JSON.stringify(spans)).not.toContain('a text')
})

test('a process that takes over does not repeat the steps that ended before', () => {
  const { tracer, spans } = recording()
  const life = new OrchestrationRunLife(tracer, runWith([planned, running]), start + 15_000)
  life.recall(runWith([planned, running]), start + 15_000)
  const built = { ...running, phase: 'Succeeded', finishedAt: at(20) }
  life.see(runWith([planned, built]), start + 20_100)
  expect(steps(spans)).toEqual([['build', 10, 20.1, 'ok']])
})

test('the steps of a run that is deleted end with it', () => {
  const { tracer, spans } = recording()
  const life = new OrchestrationRunLife(tracer, runWith([]), start)
  life.end(runWith([planned, running]), start + 15_000, true)
  expect(steps(spans)).toEqual([
    ['plan', 2, 11, 'ok'],
    ['build', 10, 15, 'error'],
  ])
  expect(spans.map(({ status }) => status.message)).toContain('Deleted')
})
