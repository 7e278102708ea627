import type { AgentRun } from '@agents/jangar-api'
import { conditionOf } from '../../kubernetes/condition-of.ts'
import { runAttributes, type TracedKind } from '../../trace/traced-kind.ts'

/** What the trace of an AgentRun says. */
export const agentRunTrace: TracedKind<AgentRun> = {
  name: 'AgentRun',
  attributesOf: (run) => ({
    ...runAttributes(run),
    'agents.agent.name': run.spec.agentRef.name,
    'agents.runtime.type': run.spec.runtime.type,
  }),
  outcomeOf: (run) => {
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
  },
}

function numberOf(value: number | bigint | undefined): number | undefined {
  return value === undefined ? undefined : Number(value)
}
