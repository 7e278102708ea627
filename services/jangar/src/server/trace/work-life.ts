import { controllerOfKind, type Job, JobKind, type KubeObject, type Pod } from '@agents/kube'
import { type Attributes, type SpanStatus, spanIdOf, type Tracer } from '@agents/tracing'
import { jobOutcome } from '../jobs/job-outcome.ts'
import { endOfWork } from '../jobs/pod-state.ts'
import { labels } from '../kubernetes/labels.ts'
import { attemptContext, runTrace } from './run-trace.ts'
import { seenAt } from './seen-at.ts'

/** The run that an attempt is one of, and what all of its spans say. */
export interface RunOfWork {
  readonly run: KubeObject
  readonly attributes: Attributes
}

/** Records the span of an attempt when its Job finishes or is deleted. */
export class AttemptLife {
  readonly #createdMs: number

  constructor(job: Job, nowMs: number) {
    this.#createdMs = seenAt(job.metadata.creationTimestamp, nowMs)
  }

  end(tracer: Tracer, { run, attributes }: RunOfWork, job: Job, nowMs: number): void {
    const trace = runTrace(run, tracer)
    const outcome = jobOutcome(job)
    const failed = job.status?.conditions?.find(
      ({ type, status }) => type === 'Failed' && status === 'True',
    )
    const told = job.status?.completionTime ?? failed?.lastTransitionTime
    const reason = outcome?.phase === 'Failed' ? outcome.reason : 'Deleted'
    tracer.record({
      context: attemptContext(trace, job.metadata.name),
      parentSpanId: trace.root.spanId,
      name: 'attempt',
      kind: 'internal',
      startMs: this.#createdMs,
      endMs: Math.max(this.#createdMs, seenAt(told, nowMs)),
      attributes: { ...attributes, ...jobAttributes(job) },
      status: outcome?.phase === 'Succeeded' ? { code: 'ok' } : { code: 'error', message: reason },
      events: [],
      links: [],
    })
  }
}

export function jobAttributes({ metadata }: Pick<Job, 'metadata'>): Attributes {
  const { [labels.attempt]: attempt, [labels.step]: step } = metadata.labels ?? {}
  return {
    'k8s.job.name': metadata.name,
    'agents.run.attempt': attempt === undefined ? undefined : Number(attempt),
    'agents.run.step': step,
  }
}

/** Records how long a pod took to start, and how long it ran. */
export class PodLife {
  readonly #createdMs: number
  #startedMs: number | undefined
  #isOver = false

  constructor(pod: Pod, nowMs: number) {
    this.#createdMs = seenAt(pod.metadata.creationTimestamp, nowMs)
  }

  /**
   * Notes the state of a pod that existed before, without recording spans. Its end is recorded later unless it was
   * observed.
   */
  recall(pod: Pod, nowMs: number, isEndSeen: boolean): void {
    const started = startOfWork(pod)
    if (started !== undefined) this.#startedMs = seenAt(started, nowMs)
    this.#isOver = isEndSeen && endOfWork(pod) !== undefined
  }

  see(tracer: Tracer, { run, attributes }: RunOfWork, pod: Pod, nowMs: number): void {
    if (this.#isOver) return
    const started = startOfWork(pod)
    const end = endOfWork(pod)
    if (started === undefined) return
    const attempt = attemptContext(runTrace(run, tracer), jobNameOf(pod))
    const record = (
      name: string,
      startMs: number,
      endMs: number,
      more: Attributes,
      status: SpanStatus,
    ) =>
      tracer.record({
        context: { ...attempt, spanId: spanIdOf(name, attempt.spanId, pod.metadata.uid ?? '') },
        parentSpanId: attempt.spanId,
        name,
        kind: 'internal',
        startMs,
        endMs: Math.max(startMs, endMs),
        attributes: { ...attributes, ...podAttributes(pod), ...more },
        status,
        events: [],
        links: [],
      })
    if (this.#startedMs === undefined) {
      // If the pod ended before it was observed running, the API's timestamp is the only source for its start.
      const startMs = end === undefined ? seenAt(started, nowMs) : Date.parse(started)
      this.#startedMs = Math.max(this.#createdMs, startMs)
      record('pod starts', this.#createdMs, this.#startedMs, {}, { code: 'unset' })
    }
    if (end === undefined) return
    this.#isOver = true
    const { exitCode, reason, finishedAt } = end
    const more = { 'process.exit.code': exitCode, 'agents.reason': reason }
    const status: SpanStatus =
      exitCode === 0
        ? { code: 'ok' }
        : { code: 'error', message: reason ?? `exit code ${exitCode}` }
    record('pod runs', this.#startedMs, seenAt(finishedAt, nowMs), more, status)
  }
}

/** When the first container started, which does the work. */
function startOfWork(pod: Pod): string | undefined {
  const { running, terminated } = pod.status?.containerStatuses?.[0]?.state ?? {}
  return running?.startedAt ?? terminated?.startedAt
}

export function jobNameOf({ metadata }: Pod): string {
  return controllerOfKind({ metadata }, JobKind)?.name ?? ''
}

function podAttributes(pod: Pod): Attributes {
  const { name, uid } = pod.metadata
  return {
    ...jobAttributes({ metadata: { ...pod.metadata, name: jobNameOf(pod) } }),
    'k8s.pod.name': name,
    'k8s.pod.uid': uid,
    'k8s.node.name': pod.spec.nodeName,
  }
}
