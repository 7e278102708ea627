import type { AgentRun } from '@agents/jangar-api'
import type { Job, Pod } from '@agents/kube'
import { createTracer, formatTraceparent, type SpanRecord } from '@agents/tracing'
import { describe, expect, test } from 'vitest'
import { agentRunTrace } from '../agents-controller/agent-run/agent-run-trace.ts'
import { annotations, labels } from '../kubernetes/labels.ts'
import { RunLife } from './run-life.ts'
import { attemptContext, runTrace } from './run-trace.ts'
import { AttemptLife, PodLife } from './work-life.ts'

const uid = '0b6ae7d1-93a4-4d6e-9f14-1f2f6f3f6a01'
const traceId = '0b6ae7d193a44d6e9f141f2f6f3f6a01'
const start = Date.parse('2026-01-02T12:00:00Z')
/** The timestamp so many seconds after the start, in the format of the API. */
function at(seconds: number): string {
  return new Date(start + seconds * 1000).toISOString().replace('.000Z', 'Z')
}

function recording(sampler: Parameters<typeof createTracer>[0]['sampler'] = () => true) {
  const spans: SpanRecord[] = []
  return { tracer: createTracer({ sampler, onEnd: (span) => spans.push(span) }), spans }
}

type Said = Record<string, [status: string, reason: string, seconds: number]>

function runWith(said: Said, status: object = {}, metadata: object = {}): AgentRun {
  const conditions = Object.entries(said).map(([type, [value, reason, seconds]]) => ({
    ...{ type, status: value, reason, message: 'a prompt', lastTransitionTime: at(seconds) },
  }))
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'AgentRun',
    metadata: { name: 'fix', namespace: 'agents', uid, creationTimestamp: at(0), ...metadata },
    spec: {
      agentRef: { name: 'coder' },
      runtime: { type: 'job' },
      implementation: { inline: { text: 'a prompt' } },
      parameters: { token: 'hunter2' },
    },
    status: { conditions, ...status },
  } as unknown as AgentRun
}

const fresh = runWith({})
const queued = runWith({
  Accepted: ['True', 'Accepted', 1],
  Admitted: ['False', 'ConcurrencyLimit', 1],
})
const admitted = runWith({ Accepted: ['True', 'Accepted', 1], Admitted: ['True', 'Admitted', 30] })
const done = runWith(
  {
    Accepted: ['True', 'Accepted', 1],
    Admitted: ['True', 'Admitted', 30],
    Finished: ['True', 'Succeeded', 90],
  },
  { phase: 'Succeeded', finishedAt: at(90), attempts: 1, usage: { inputTokens: 7n } },
)

const ofAdmitted = { run: admitted, attributes: agentRunTrace.attributesOf(admitted) }

function shown({ name, startMs, endMs, status }: SpanRecord) {
  return [name, (startMs - start) / 1000, (endMs - start) / 1000, status.code]
}

describe('the trace of a run', () => {
  test('has the uid of the run as its id', () => {
    const { tracer, spans } = recording()
    const life = new RunLife(tracer, agentRunTrace, fresh, start + 250)
    life.see(fresh, start + 300)
    life.see(queued, start + 1_500)
    life.see(admitted, start + 30_250)
    life.see(admitted, start + 40_000)
    life.end(done, start + 90_750)
    expect(spans.map(shown)).toEqual([
      ['accept', 0.25, 1.5, 'unset'],
      ['queue', 1.5, 30.25, 'unset'],
      ['AgentRun', 0.25, 90.75, 'ok'],
    ])
    const { root } = runTrace(done, tracer)
    expect(new Set(spans.map(({ context }) => context.traceId))).toEqual(new Set([traceId]))
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([
      root.spanId,
      root.spanId,
      undefined,
    ])
    expect(spans[2]?.context).toEqual(root)
  })

  test('contains reasons and the outcome, but no user-provided text', () => {
    const { tracer, spans } = recording()
    const life = new RunLife(tracer, agentRunTrace, fresh, start)
    life.see(queued, start + 1_000)
    life.end(done, start + 90_000)
    expect(spans[1]).toMatchObject({
      attributes: { 'agents.run.name': 'fix', 'agents.reason': 'ConcurrencyLimit' },
      events: [{ name: 'waits', attributes: { 'agents.reason': 'ConcurrencyLimit' } }],
    })
    expect(spans[2]?.attributes).toMatchObject({
      'agents.run.phase': 'Succeeded',
      'agents.agent.name': 'coder',
      'gen_ai.usage.input_tokens': 7,
    })
    expect(JSON.stringify(spans)).not.toMatch(/a prompt|hunter2/)
  })

  test('continues after a restart: each span is recorded exactly once', () => {
    const first = recording()
    const before = new RunLife(first.tracer, agentRunTrace, fresh, start + 250)
    before.see(admitted, start + 30_250)
    const second = recording()
    const after = new RunLife(second.tracer, agentRunTrace, admitted, start + 60_000)
    after.recall(admitted, start + 60_000)
    after.see(admitted, start + 60_000)
    after.end(done, start + 90_750)
    expect(first.spans.map(({ name }) => name)).toEqual(['accept', 'queue'])
    expect(second.spans.map(shown)).toEqual([['AgentRun', 0, 90.75, 'ok']])
    expect(first.spans[0]?.parentSpanId).toBe(second.spans[0]?.context.spanId)
  })

  test.each([
    {
      because: 'it was refused',
      condition: 'Accepted',
      name: 'accept',
      gone: false,
      message: 'Refused',
    },
    {
      because: 'it was deleted',
      condition: 'Accepted',
      name: 'accept',
      gone: true,
      message: 'Deleted',
    },
  ])('ends in the current stage if the run ends early: $because', ({ name, gone, message }) => {
    const { tracer, spans } = recording()
    const refused = runWith(
      { Accepted: ['False', 'Refused', 2], Finished: ['True', 'Refused', 2] },
      { phase: 'Failed', finishedAt: at(2) },
    )
    const life = new RunLife(tracer, agentRunTrace, fresh, start)
    life.end(refused, start + 2_000, gone)
    expect(spans.map(shown)).toEqual([
      [name, 0, 2, 'error'],
      ['AgentRun', 0, 2, 'error'],
    ])
    expect(spans.map(({ status }) => status.message)).toEqual([message, message])
  })

  test('joins the trace of the request, and is sampled if that is', () => {
    for (const isSampled of [true, false]) {
      const { tracer, spans } = recording((_id, parent) => parent?.isSampled ?? true)
      const caller = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), isSampled }
      const mine = { [annotations.traceparent]: formatTraceparent(caller) }
      const run = runWith({}, { phase: 'Succeeded', finishedAt: at(1) }, { annotations: mine })
      new RunLife(tracer, agentRunTrace, run, start).end(run, start + 1_000)
      const joined = { context: { traceId: caller.traceId }, parentSpanId: caller.spanId }
      if (isSampled) expect(spans.at(-1)).toMatchObject(joined)
      else expect(spans).toEqual([])
    }
  })
})

describe('the trace of its work', () => {
  const job = (status: object = {}): Job =>
    ({
      metadata: {
        ...{ name: 'fix-job', namespace: 'agents', uid: 'j', creationTimestamp: at(31) },
        labels: { [labels.attempt]: '1' },
      },
      spec: {},
      status,
    }) as unknown as Job
  const pod = (state: object): Pod =>
    ({
      metadata: {
        ...{ name: 'fix-job-x', namespace: 'agents', uid: 'p', creationTimestamp: at(31) },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'fix-job', controller: true },
        ],
      },
      spec: { containers: [], nodeName: 'node-1' },
      status: { containerStatuses: [{ state }] },
    }) as unknown as Pod

  test('has a span for the attempt, with child spans for the start and the run of its pod', () => {
    const { tracer, spans } = recording()
    const attempt = new AttemptLife(job(), start + 31_100)
    const life = new PodLife(pod({}), start + 31_200)
    life.see(tracer, ofAdmitted, pod({ waiting: {} }), start + 32_000)
    life.see(tracer, ofAdmitted, pod({ running: { startedAt: at(40) } }), start + 40_500)
    const terminated = { startedAt: at(40), finishedAt: at(80), exitCode: 3, reason: 'Error' }
    life.see(tracer, ofAdmitted, pod({ terminated }), start + 80_500)
    life.see(tracer, ofAdmitted, pod({ terminated }), start + 81_000)
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      lastTransitionTime: at(81),
    }
    attempt.end(tracer, ofAdmitted, job({ conditions: [failed] }), start + 81_250)
    expect(spans.map(shown)).toEqual([
      ['pod starts', 31.2, 40.5, 'unset'],
      ['pod runs', 40.5, 80.5, 'error'],
      ['attempt', 31.1, 81.25, 'error'],
    ])
    const trace = runTrace(admitted, tracer)
    const context = attemptContext(trace, 'fix-job')
    expect(spans[2]).toMatchObject({ context, parentSpanId: trace.root.spanId })
    expect(spans.slice(0, 2).map(({ parentSpanId }) => parentSpanId)).toEqual([
      context.spanId,
      context.spanId,
    ])
    expect(spans[1]?.attributes).toMatchObject({
      'process.exit.code': 3,
      'k8s.pod.name': 'fix-job-x',
      'k8s.job.name': 'fix-job',
      'k8s.node.name': 'node-1',
    })
  })

  test('uses the timestamps of the API if the pod ended before it was observed running', () => {
    const { tracer, spans } = recording()
    const life = new PodLife(pod({}), start + 31_200)
    const terminated = { startedAt: at(31), finishedAt: at(33), exitCode: 0 }
    life.see(tracer, ofAdmitted, pod({ terminated }), start + 33_700)
    expect(spans.map(shown)).toEqual([
      ['pod starts', 31.2, 31.2, 'unset'],
      ['pod runs', 31.2, 33.7, 'ok'],
    ])
  })

  test('does not repeat spans from before a restart', () => {
    const { tracer, spans } = recording()
    const running = pod({ running: { startedAt: at(40) } })
    const life = new PodLife(running, start + 60_000)
    life.recall(running, start + 60_000, false)
    life.see(tracer, ofAdmitted, running, start + 60_000)
    expect(spans).toEqual([])
    const terminated = { startedAt: at(40), finishedAt: at(80), exitCode: 0 }
    life.see(tracer, ofAdmitted, pod({ terminated }), start + 80_500)
    expect(spans.map(shown)).toEqual([['pod runs', 40, 80.5, 'ok']])
  })

  test('includes a pod that ended unobserved, exactly once', () => {
    const terminated = pod({
      terminated: { startedAt: at(40), finishedAt: at(80), exitCode: 0 },
    })
    for (const isSeen of [true, false]) {
      const { tracer, spans } = recording()
      const life = new PodLife(terminated, start + 100_000)
      life.recall(terminated, start + 100_000, isSeen)
      life.see(tracer, ofAdmitted, terminated, start + 100_000)
      life.see(tracer, ofAdmitted, terminated, start + 101_000)
      expect(spans.map(shown)).toEqual(isSeen ? [] : [['pod runs', 40, 80, 'ok']])
    }
  })

  test('shows a deleted Job as failed', () => {
    const { tracer, spans } = recording()
    new AttemptLife(job(), start + 31_100).end(tracer, ofAdmitted, job(), start + 50_000)
    expect(spans.map(shown)).toEqual([['attempt', 31.1, 50, 'error']])
    expect(spans[0]?.status.message).toBe('Deleted')
  })
})
