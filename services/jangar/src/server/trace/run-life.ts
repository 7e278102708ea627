import type { AgentRun } from '@agents/jangar-api'
import type { Condition } from '@agents/kube'
import type { Attributes, SpanEvent, SpanStatus, Tracer } from '@agents/tracing'
import { spanIdOf } from '@agents/tracing'
import { conditionOf } from '../../../kubernetes/condition-of.ts'
import { type RunTrace, runTrace } from './run-trace.ts'
import { seenAt } from './seen-at.ts'

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
export class RunLife {
  readonly #tracer: Tracer
  readonly #trace: RunTrace
  readonly #createdMs: number
  /** When each stage ended. */
  readonly #ends = new Map<Stage, number>()
  /** Of the current stage. */
  #events: SpanEvent[] = []
  #waits: string | undefined

  constructor(tracer: Tracer, run: AgentRun, nowMs: number) {
    this.#tracer = tracer
    this.#trace = runTrace(run, tracer)
    this.#createdMs = seenAt(run.metadata.creationTimestamp, nowMs)
  }

  /** Notes the state of a run that existed before, without recording spans. */
  recall(run: AgentRun, nowMs: number): void {
    for (const { stage, gate } of stages) {
      const condition = conditionOf(run, gate)
      if (condition?.status !== 'True') return
      this.#ends.set(stage, seenAt(condition.lastTransitionTime, nowMs))
    }
  }

  see(run: AgentRun, nowMs: number): void {
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
  end(run: AgentRun, nowMs: number, gone = false): void {
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
      name: 'AgentRun',
      kind: 'internal',
      startMs: this.#createdMs,
      endMs,
      attributes: { ...runAttributes(run), ...outcomeAttributes(run) },
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

  #endStage(run: AgentRun, stage: Stage, toldMs: number, status: SpanStatus): void {
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
      attributes: { ...runAttributes(run), 'agents.reason': this.#waits },
      status,
      events: this.#events,
      links: [],
    })
    this.#ends.set(stage, endMs)
    this.#events = []
    this.#waits = undefined
  }
}

/** Names and numbers only: texts of users and agents stay out of traces. */
export function runAttributes({ metadata, spec }: AgentRun): Attributes {
  return {
    'k8s.namespace.name': metadata.namespace,
    'agents.run.name': metadata.name,
    'agents.run.uid': metadata.uid,
    'agents.agent.name': spec.agentRef.name,
    'agents.runtime.type': spec.runtime.type,
  }
}

function outcomeAttributes(run: AgentRun): Attributes {
  const { phase, attempts, exitCode, usage, vcs } = run.status ?? {}
  return {
    'agents.run.phase': phase,
    'agents.reason': conditionOf(run, 'Finished')?.reason,
    'agents.run.attempts': attempts,
    'process.exit.code': exitCode,
    'vcs.repository.name': vcs?.repository,
    'gen_ai.usage.input_tokens': numberOf(usage?.inputTokens),
    'gen_ai.usage.output_tokens': numberOf(usage?.outputTokens),
  }
}

function numberOf(value: number | bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}
