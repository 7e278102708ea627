import type { ToolRun } from '@agents/jangar-api'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { runAttributes, type TracedKind } from '../../trace/traced-kind.ts'
import { specOf } from './tool-resolution.ts'

/** What the trace of a ToolRun says. */
export const toolRunTrace: TracedKind<ToolRun> = {
  name: 'ToolRun',
  attributesOf: (run) => ({
    ...runAttributes(run),
    'agents.tool.name': specOf(run).toolRef?.name,
  }),
  outcomeOf: (run) => {
    const { phase, attempts, exitCode } = run.status ?? {}
    return {
      'agents.run.phase': phase,
      'agents.reason': conditionOf(run, 'Finished')?.reason,
      'agents.run.attempts': attempts,
      'process.exit.code': exitCode,
    }
  },
}
