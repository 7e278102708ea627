import type { AgentRun } from '@agents/jangar-api'
import type { Indexer } from '@agents/kube'
import { isFinished } from '@agents/status'

export const IDEMPOTENCY_INDEX = 'idempotencyKey'
export const BRANCH_INDEX = 'branch'

/** For the cache of runs: without them, each run would have to look at all the others. */
export const runIndexers: Readonly<Record<string, Indexer<AgentRun>>> = {
  [IDEMPOTENCY_INDEX]: (run) => optional(idempotencyOf(run)),
  /** Runs that have not finished alone. */
  [BRANCH_INDEX]: ({ status }) => {
    const { repository, headBranch } = status?.vcs ?? {}
    if (repository === undefined || headBranch === undefined) return []
    return isFinished(status?.conditions ?? []) ? [] : [branchValue(repository, headBranch)]
  },
}

export function idempotencyOf({ metadata, spec }: AgentRun): string | undefined {
  const { idempotencyKey: key, agentRef } = spec
  if (key === undefined || key.trim() === '') return undefined
  return JSON.stringify([metadata.namespace, agentRef.name, key])
}

export function branchValue(repository: string, branch: string): string {
  return JSON.stringify([repository.toLowerCase(), branch])
}

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}
