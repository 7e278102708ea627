import type { AgentRun } from '@agents/jangar-api'
import type { ShownOutput } from './follow-output.ts'
import { outcomeOf, progressOf } from './run-outcome.ts'

/**
 * What is not shown of a run's output, and why: an attempt that failed makes room for the next one, and a run that was stopped
 * takes its pods along.
 */
export function missingOutput(run: AgentRun, { pods, shown }: ShownOutput): string | undefined {
  const { name } = run.metadata
  const attempts = Number(run.status?.attempts ?? 0)
  const gone = attempts - pods
  const ends = `agentctl explain run ${name} says how it went.`
  if (shown === 0) {
    if (outcomeOf(run) === undefined)
      return `The run ${name} has said nothing yet (${progressOf(run)}).`
    const why = attempts === 0 ? 'it never began' : 'no pod of it is there'
    return `The run ${name} has left nothing to show: ${why} (${progressOf(run)}).\n${ends}`
  }
  if (gone <= 0) return undefined
  return `Of ${attempts} attempts ${gone === 1 ? 'one is' : `${gone} are`} not shown: ${gone === 1 ? 'its pod is' : 'their pods are'} gone. ${ends}`
}
