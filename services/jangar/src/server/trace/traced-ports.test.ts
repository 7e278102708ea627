import type { AgentRun } from '@agents/jangar-api'
import { createTracer, noTracer, type SpanRecord } from '@agents/tracing'
import { expect, test } from 'vitest'
import { agentRunTrace } from '../agents-controller/agent-run/agent-run-trace.ts'
import type { AttemptJobs } from '../jobs/attempt-jobs.ts'
import type { AttemptObjects } from '../jobs/attempt-objects.ts'
import { runTrace } from './run-trace.ts'
import { tracedArchive } from './traced-archive.ts'
import { tracedJobs } from './traced-jobs.ts'

const run = {
  metadata: { name: 'fix', namespace: 'agents', uid: '0b6ae7d1-93a4-4d6e-9f14-1f2f6f3f6a01' },
  spec: { agentRef: { name: 'coder' }, runtime: { type: 'job' } },
} as unknown as AgentRun
const objects = { job: { metadata: { name: 'fix-job' } } } as unknown as AttemptObjects
const refusal = new Error('refused')
const jobs = { submit: () => Promise.reject(refusal) } as unknown as AttemptJobs<AgentRun>

async function archive() {
  return 'whole' as const
}

test('submitting and archiving record spans of the run and pass errors on', async () => {
  const spans: SpanRecord[] = []
  const tracer = createTracer({ sampler: () => true, onEnd: (span) => spans.push(span) })
  const { signal } = new AbortController()
  await expect(
    tracedJobs(jobs, agentRunTrace, tracer).submit(run, objects, { signal }),
  ).rejects.toBe(refusal)
  await tracedArchive(archive, agentRunTrace, tracer)(run)
  const { root } = runTrace(run, tracer)
  expect(spans).toMatchObject([
    {
      name: 'submit',
      parentSpanId: root.spanId,
      status: { code: 'error' },
      attributes: { 'k8s.job.name': 'fix-job' },
    },
    { name: 'archive', parentSpanId: root.spanId, status: { code: 'unset' } },
  ])
})

test('disabled tracing returns the ports unchanged', () => {
  expect(tracedJobs(jobs, agentRunTrace, noTracer)).toBe(jobs)
  expect(tracedArchive(archive, agentRunTrace, noTracer)).toBe(archive)
})
