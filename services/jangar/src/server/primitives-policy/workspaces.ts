import type { AgentRun, Workspace } from '@agents/jangar-api'

/** The names of the Workspaces that the run mounts, in any of its steps. */
export function workspacesOf({ spec }: Pick<AgentRun, 'spec'>): string[] {
  const workloads = [spec?.workload, ...(spec?.workflow?.steps ?? []).map((step) => step.workload)]
  const names = workloads.flatMap((one) =>
    (one?.volumes ?? []).flatMap(({ type, workspaceName }) =>
      type === 'workspace' && workspaceName !== undefined ? [workspaceName] : [],
    ),
  )
  return [...new Set(names)].sort()
}

/** Whether one run at a time may use it. A Workspace that does not exist yet may become one of these. */
export function isExclusive(workspace: Workspace | undefined): boolean {
  return workspace?.spec?.accessModes?.includes('ReadWriteMany') !== true
}
