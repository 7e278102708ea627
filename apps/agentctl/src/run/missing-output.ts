import { agentRuns, type ShownKind, type ShownRun } from './run-kind.ts'
import { outcomeOf, progressOf } from './run-outcome.ts'
import type { PrintedOutput } from './run-output.ts'

/**
 * Describes which output of a run is missing: the pod of a failed attempt is deleted before the next one, and those
 * of a cancelled run with it.
 */
export function missingOutput(
  run: ShownRun,
  { pods, printed }: PrintedOutput,
  { word }: Pick<ShownKind, 'word'> = agentRuns,
): string | undefined {
  const { name } = run.metadata
  const attempts = Number(run.status?.attempts ?? 0)
  const gone = attempts - pods
  const ends = `For details: agentctl explain ${word} ${name}`
  if (printed === 0) {
    if (outcomeOf(run) === undefined) return `Run ${name} has no output yet (${progressOf(run)}).`
    const why = attempts === 0 ? 'it never started' : 'its pods are deleted'
    return `Run ${name} has no output: ${why} (${progressOf(run)}).\n${ends}`
  }
  if (gone <= 0) return undefined
  return `The output of ${gone} of ${attempts} attempts is not shown: ${gone === 1 ? 'its pod is' : 'their pods are'} deleted. ${ends}`
}
