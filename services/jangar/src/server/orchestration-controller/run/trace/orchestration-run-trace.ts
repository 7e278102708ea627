import type { OrchestrationRun } from '@agents/jangar-api'
import { type SpanContext, spanIdOf } from '@agents/tracing'
import { conditionOf } from '../../../kubernetes/condition-of.ts'
import type { RunTrace } from '../../../trace/run-trace.ts'
import { runAttributes, type TracedKind } from '../../../trace/traced-kind.ts'

/** What the trace of an OrchestrationRun says. */
export const orchestrationRunTrace: TracedKind<OrchestrationRun> = {
  name: 'OrchestrationRun',
  attributesOf: (run) => ({
    ...runAttributes(run),
    'agents.orchestration.name': run.spec?.orchestrationRef?.name,
  }),
  outcomeOf: (run) => ({
    'agents.run.phase': run.status?.phase,
    'agents.reason': conditionOf(run, 'Finished')?.reason,
    'agents.orchestration.steps': run.status?.stepStatuses?.length,
  }),
}

/** The span of one step. Its id is derived, so that the objects of the step get it before the span is recorded. */
export function stepContext({ root }: RunTrace, step: string): SpanContext {
  return { ...root, spanId: spanIdOf('step', root.spanId, step) }
}
