import type { Condition } from '@agents/kube'
import type { SpanEvent, SpanStatus, Tracer } from '@agents/tracing'
import { spanIdOf } from '@agents/tracing'
import { conditionOf } from '../kubernetes/condition-of.ts'
import { type RunTrace, runTrace } from './run-trace.ts'
import { seenAt } from './seen-at.ts'
import type { TracedKind, TracedRun } from './traced-kind.ts'

type Stage = 'accept' | 'queue'

/** The stages of a run before its Jobs, and the conditions that end them. Jobs and pods have their own spans. */
const stages: readonly { readonly stage: Stage; readonly gate: string }[] = [
  { stage: 'accept', gate: 'Accepted' },
  { stage: 'queue', gate: 'Admitted' },
]

/** Further events add no information. */
const mostEvents = 32

/**
 * Records the spans of one run while it is observed: a span for each stage when it ends, and one for the run when it
 * finishes. Stages that ended earlier were recorded by the process that observed them.
 */
export class RunLife<Run extends TracedRun> {
  readonly #tracer: Tracer
  readonly #kind: TracedKind<Run>
  readonly #trace: RunTrace
  readonly #createdMs: number
  /** When each stage ended. */
  readonly #ends = new Map<Stage, number>()
  /** Of the current stage. */
  #events: SpanEvent[] = []
  #waits: string | undefined

  constructor(tracer: Tracer, kind: TracedKind<Run>, run: Run, nowMs: number) {
    this.#tracer = tracer
    this.#kind = kind
    this.#trace = runTrace(run, tracer)
    this.#createdMs = seenAt(run.metadata.creationTimestamp, nowMs)
  }

  /** Notes the state of a run that existed before, without recording spans. */
  recall(run: Run, nowMs: number): void {
    for (const { stage, gate } of stages) {
      const condition = conditionOf(run, gate)
      if (condition?.status !== 'True') return
      this.#ends.set(stage, seenAt(condition.lastTransitionTime, nowMs))
    }
  }

  see(run: Run, nowMs: number): void {
    for (const { stage, gate } of stages) {
      if (this.#ends.has(stage)) continue
      const condition = conditionOf(run, gate)
      if (condition?.status !== 'True') {
        this.#note(condition, nowMs)
        return
      }
      this.#endStage(run, stage, seenAt(condition.lastTransitionTime, nowMs), { code: 'unset' })
    }
  }

  /** Records the end of the run. `gone`: it was deleted before it finished. */
  end(run: Run, nowMs: number, gone = false): void {
    this.see(run, nowMs)
    const { status } = run
    const endMs = Math.max(this.#createdMs, gone ? nowMs : seenAt(status?.finishedAt, nowMs))
    const outcome = conditionOf(run, 'Finished')
    const succeeded = status?.phase === 'Succeeded'
    const failure: SpanStatus = {
      code: 'error',
      message: gone ? 'Deleted' : (outcome?.reason ?? ''),
    }
    const stuck = stages.find(({ stage }) => !this.#ends.has(stage))
    if (stuck) this.#endStage(run, stuck.stage, endMs, failure)
    this.#tracer.record({
      context: this.#trace.root,
      parentSpanId: this.#trace.parentSpanId,
      name: this.#kind.name,
      kind: 'internal',
      startMs: this.#createdMs,
      endMs,
      attributes: { ...this.#kind.attributesOf(run), ...this.#kind.outcomeOf(run) },
      status: succeeded ? { code: 'ok' } : failure,
      events: [],
      links: [],
    })
  }

  #note(condition: Condition | undefined, nowMs: number): void {
    const reason = condition?.reason
    if (reason === undefined || reason === this.#waits) return
    this.#waits = reason
    if (this.#events.length >= mostEvents) return
    const timeMs = seenAt(condition?.lastTransitionTime, nowMs)
    this.#events.push({ name: 'waits', timeMs, attributes: { 'agents.reason': reason } })
  }

  #endStage(run: Run, stage: Stage, toldMs: number, status: SpanStatus): void {
    const startMs = Math.max(this.#createdMs, ...this.#ends.values())
    const endMs = Math.max(startMs, toldMs)
    const { root } = this.#trace
    this.#tracer.record({
      context: { ...root, spanId: spanIdOf(stage, root.spanId) },
      parentSpanId: root.spanId,
      name: stage,
      kind: 'internal',
      startMs,
      endMs,
      attributes: { ...this.#kind.attributesOf(run), 'agents.reason': this.#waits },
      status,
      events: this.#events,
      links: [],
    })
    this.#ends.set(stage, endMs)
    this.#events = []
    this.#waits = undefined
  }
}
