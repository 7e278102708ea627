import type { AgentRun, Workspace } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { endOfRun, isFinished } from '@agents/status'
import { workspacesOf } from '../../primitives-policy/workspaces.ts'

/** Keys of the Workspaces that a run mounts, for an index. */
export function usedWorkspaces(run: AgentRun): string[] {
  const { namespace } = run.metadata
  return workspacesOf(run).map((name) => formatKey({ namespace, name }))
}

interface WorkspaceUse {
  /** Whether a run that has not finished mounts it. */
  readonly isInUse: boolean
  /** When a run that mounts it last finished. Runs are deleted, so the status keeps it. */
  readonly lastUsedAt: number | undefined
}

/** Runs of an earlier Workspace of the same name do not count. */
export function useOf(workspace: Workspace, runs: readonly AgentRun[]): WorkspaceUse {
  const created = createdAt(workspace)
  const ends = runs.flatMap((run) => {
    const end = isFinished(run.status?.conditions) ? endOfRun(run) : undefined
    return end === undefined || end < created ? [] : [end]
  })
  const known = Date.parse(workspace.status?.lastUsedAt ?? '')
  const all = Number.isNaN(known) ? ends : [...ends, known]
  return {
    isInUse: runs.some((run) => !isFinished(run.status?.conditions)),
    lastUsedAt: all.length === 0 ? undefined : Math.max(...all),
  }
}

/** When the Workspace expires if nothing uses it; undefined if it never does. */
export function expiryOf(workspace: Workspace, lastUsedAt: number | undefined): number | undefined {
  const { ttlSeconds = 0 } = workspace.spec ?? {}
  if (ttlSeconds <= 0) return undefined
  return Math.max(lastUsedAt ?? 0, createdAt(workspace)) + ttlSeconds * 1000
}

function createdAt({ metadata }: Workspace): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}
