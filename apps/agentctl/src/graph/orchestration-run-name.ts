import { findPlatformKind } from '../cluster/known-kinds.ts'
import { OrchestrationRunKind } from './compose-orchestration-run.ts'

/** The name in `orchestrationrun/NAME`. Undefined for runs of other kinds. */
export function orchestrationRunName(given: string | undefined): string | undefined {
  const [word = '', name] = (given ?? '').split('/', 2)
  const isOne = findPlatformKind(word)?.kind === OrchestrationRunKind.kind
  return isOne && name !== undefined && name !== '' ? name : undefined
}
