import type { AgentRun } from '@agents/jangar-api'
import type { Indexer } from '@agents/kube'
import { isFinished } from '@agents/status'
import { repositoryName } from '../../../../run-contract/repository/repository-name.ts'

export const idempotencyIndex = 'idempotencyKey'
export const branchIndex = 'branch'

/** Indexes of the run cache, so that resolving a run does not scan all others. */
export const runIndexers: Readonly<Record<string, Indexer<AgentRun>>> = {
  [idempotencyIndex]: (run) => optional(idempotencyOf(run)),
  /** Only unfinished runs. */
  [branchIndex]: ({ status }) => {
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
  return JSON.stringify([repositoryName(repository).toLowerCase(), branch])
}

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value]
}
