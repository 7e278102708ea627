import type { OrchestrationRun } from '@agents/jangar-api'
import type { SpanStatus, Tracer } from '@agents/tracing'
import { RunLife } from '../../../trace/run-life.ts'
import { type RunTrace, runTrace } from '../../../trace/run-trace.ts'
import type { StepStatus } from '../step-statuses.ts'
import { orchestrationRunTrace, stepContext } from './orchestration-run-trace.ts'

/** Times of a status have whole seconds. */
const resolutionMs = 1000

/**
 * Records the spans of an OrchestrationRun while it is observed: those of every run, and one for each step when it
 * ends. The runs that a step starts have their spans below that of the step.
 */
export class OrchestrationRunLife {
  readonly #tracer: Tracer
  readonly #trace: RunTrace
  readonly #run: RunLife<OrchestrationRun>
  /** Names of the steps whose span was recorded. */
  readonly #recorded = new Set<string>()

  constructor(tracer: Tracer, run: OrchestrationRun, nowMs: number) {
    this.#tracer = tracer
    this.#trace = runTrace(run, tracer)
    this.#run = new RunLife(tracer, orchestrationRunTrace, run, nowMs)
  }

  /** Notes the state of a run that existed before, without recording spans. */
  recall(run: OrchestrationRun, nowMs: number): void {
    this.#run.recall(run, nowMs)
    for (const { name, finishedAt } of run.status?.stepStatuses ?? []) {
      if (finishedAt !== undefined) this.#recorded.add(name)
    }
  }

  see(run: OrchestrationRun, nowMs: number): void {
    this.#run.see(run, nowMs)
    this.#endSteps(run, nowMs, false)
  }

  /** Records the end of the run. `gone`: it was deleted before it finished. */
  end(run: OrchestrationRun, nowMs: number, gone = false): void {
    this.#endSteps(run, nowMs, gone)
    this.#run.end(run, nowMs, gone)
  }

  #endSteps(run: OrchestrationRun, nowMs: number, isGone: boolean): void {
    for (const step of run.status?.stepStatuses ?? []) {
      const isOver = step.finishedAt !== undefined || isGone
      // A step that was skipped or taken over has not begun, and so has no time of its own.
      if (!isOver || startOf(step) === undefined || this.#recorded.has(step.name)) continue
      this.#recorded.add(step.name)
      this.#record(run, step, nowMs)
    }
  }

  #record(run: OrchestrationRun, step: StepStatus, nowMs: number): void {
    const { name, kind, phase, reason, attempt, items, finishedAt } = step
    const startMs = Date.parse(startOf(step) ?? '')
    // Not before the objects of the step, which have the time of the clock, and not after it was observed.
    const endMs = finishedAt === undefined ? nowMs : Date.parse(finishedAt) + resolutionMs
    const failure: SpanStatus = { code: 'error', message: finishedAt ? (reason ?? '') : 'Deleted' }
    this.#tracer.record({
      context: stepContext(this.#trace, name),
      parentSpanId: this.#trace.root.spanId,
      name: 'step',
      kind: 'internal',
      startMs,
      endMs: Math.max(startMs, Math.min(endMs, nowMs)),
      attributes: {
        ...orchestrationRunTrace.attributesOf(run),
        'agents.step.name': name,
        'agents.step.kind': kind,
        'agents.step.phase': phase,
        'agents.step.attempts': attempt,
        'agents.step.items': items?.length,
        'agents.reason': reason,
      },
      status: phase === 'Succeeded' ? { code: 'ok' } : failure,
      events: [],
      links: [],
    })
  }
}

/** When its first attempt began. */
function startOf({ attempts, startedAt }: StepStatus): string | undefined {
  return attempts?.[0]?.startedAt ?? startedAt
}
