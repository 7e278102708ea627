import { usageFailure } from '../cli/command-failure.ts'
import { findPlatformKind } from '../cluster/known-kinds.ts'

/** `first-run`, or `run/first-run` as other commands print it. */
export function runNameOf(given: string | undefined): string {
  const [kind = '', name] = (given ?? '').split('/', 2)
  if (name === undefined) return kind
  if (findPlatformKind(kind)?.kind === 'AgentRun' && name !== '') return name
  throw usageFailure(`${JSON.stringify(given)} is not a run: use its name, or run/NAME`)
}
