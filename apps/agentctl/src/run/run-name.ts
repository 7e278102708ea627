import { usageFailure } from '../cli/command-failure.ts'
import { findPlatformKind } from '../cluster/known-kinds.ts'
import { agentRuns, type ShownKind, shownKind } from './run-kind.ts'

/** A run that an argument names: `first-run`, or `run/first-run` and `toolrun/build` as other commands print them. */
export function namedRun(given: string | undefined): {
  readonly of: ShownKind
  readonly name: string
} {
  const [word = '', name] = (given ?? '').split('/', 2)
  if (name === undefined) return { of: agentRuns, name: word }
  const of = shownKind(findPlatformKind(word)?.kind)
  if (of !== undefined && name !== '') return { of, name }
  throw usageFailure(
    `${JSON.stringify(given)} is not a run: use its name, run/NAME or toolrun/NAME`,
  )
}
