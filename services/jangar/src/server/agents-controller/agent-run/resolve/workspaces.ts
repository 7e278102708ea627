import type { AgentRun, Workspace } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { conditionOf } from '../../../kubernetes/condition-of.ts'
import { type DependencyProblem, findNamed } from '../../../kubernetes/dependency.ts'
import { refused } from './problem.ts'
import type { Refused, ResolutionPorts, Workload } from './resolution.ts'

type Ports = { readonly caches: Pick<ResolutionPorts['caches'], 'workspaces'> }

/** Checks whether the Workspaces of the run can be mounted, and that it mounts their claims in no other way. */
export function workspaceProblem(
  { metadata: { namespace } }: Pick<AgentRun, 'metadata'>,
  { volumes = [] }: Workload,
  { caches: { workspaces } }: Ports,
): Refused | DependencyProblem | undefined {
  for (const { type, claimName = '', workspaceName = '' } of volumes) {
    // The claim would be mounted although another run may be using the Workspace.
    if (type === 'pvc' && workspaces.get(formatKey({ namespace, name: claimName }))) {
      return refused(
        'ClaimNotAllowed',
        `PersistentVolumeClaim ${claimName} belongs to Workspace ${claimName}; mount it with type: workspace`,
      )
    }
    if (type !== 'workspace') continue
    const found = findNamed(workspaces, { namespace, name: workspaceName }, 'the run')
    if (found.kind !== 'found') return found
    const problem = unusable(found.value)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** A volume that is being provisioned can be mounted: many are provisioned only when a pod uses them. */
function unusable(workspace: Workspace): Refused | DependencyProblem | undefined {
  const { name } = workspace.metadata
  const bound = conditionOf(workspace, 'VolumeBound')
  if (bound?.reason === 'Expired') {
    return refused('WorkspaceExpired', `Workspace ${name} has expired, and its volume was deleted`)
  }
  if (bound?.status === 'True' || bound?.reason === 'Provisioning') return undefined
  const why = conditionOf(workspace, 'Ready')?.message ?? 'it was not reconciled yet'
  const message = `Workspace ${name} is not ready: ${why}`
  return { kind: 'waiting', reason: 'DependencyNotReady', message }
}
