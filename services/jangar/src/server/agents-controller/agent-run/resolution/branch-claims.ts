import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { AgentsCaches } from '../../agents-caches.ts'

/** Branches that were given to runs in this process, which their statuses may show only seconds later. */
export interface BranchClaims {
  /** Whether the branch is the run's: nobody else was given it here who has not ended. It is, from now on, until the run ends or lets go. */
  claim(run: AgentRun, branch: string): boolean
  /** The run lets go of all that it was given. */
  release(run: AgentRun): void
}

export function branchClaims(runs: Pick<AgentsCaches['agentRuns'], 'subscribe'>): BranchClaims {
  const owners = new Map<string, string>()
  /** Steps may work in several repositories. */
  const branches = new Map<string, readonly string[]>()
  const release = (key: string): void => {
    for (const branch of branches.get(key) ?? []) owners.delete(branch)
    branches.delete(key)
  }
  runs.subscribe({
    onAdd: () => undefined,
    onUpdate: (_before, { metadata, status }) => {
      if (isFinished(status?.conditions)) release(formatKey(metadata))
    },
    onDelete: ({ metadata }) => release(formatKey(metadata)),
  })
  return {
    claim: ({ metadata }, branch) => {
      const key = formatKey(metadata)
      const owner = owners.get(branch)
      if (owner !== undefined) return owner === key
      owners.set(branch, key)
      branches.set(key, [...(branches.get(key) ?? []), branch])
      return true
    },
    release: ({ metadata }) => release(formatKey(metadata)),
  }
}
