import {
  Children,
  type KindController,
  livingReconciler,
  mappedSource,
  objectApi,
  ownedSource,
} from '@agents/controller'
import { type Workspace, workspaceConditions, workspacePhase } from '@agents/jangar-api'
import { formatKey, type KubeClient, type PersistentVolumeClaim, parseKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { validated } from './gates/validated.ts'
import { volumeBound } from './gates/volume-bound.ts'
import { usedWorkspaces } from './workspace-use.ts'

interface WorkspacePorts {
  readonly client: KubeClient
  readonly caches: Pick<SupportingCaches, 'workspaces' | 'claims' | 'agentRuns'>
}

const runsIndex = 'by workspace'

/** Reconciles Workspaces: each is a PersistentVolumeClaim of its name, deleted when it is not used any more. */
export function workspaceController({ client, caches }: WorkspacePorts): KindController<Workspace> {
  const { workspaces, claims, agentRuns } = caches
  agentRuns.addIndexers({ [runsIndex]: usedWorkspaces })
  const api = objectApi(client, claims.kind)
  const ports = {
    claims: api,
    children: new Children(api, claims),
    deleteClaim: async ({ metadata }: PersistentVolumeClaim, signal: AbortSignal) => {
      const preconditions = { uid: metadata.uid ?? '' }
      await client.delete(claims.kind, metadata, { preconditions, signal })
    },
    isReferredTo: async ({ metadata }: Workspace, signal: AbortSignal) => {
      const key = formatKey(metadata)
      for await (const run of client.each(agentRuns.kind, {
        namespace: metadata.namespace,
        signal,
      })) {
        if (!isFinished(run.status?.conditions) && usedWorkspaces(run).includes(key)) return true
      }
      return false
    },
    usersOf: ({ metadata }: Workspace) => agentRuns.byIndex(runsIndex, formatKey(metadata)),
  }
  return {
    primary: workspaces,
    reconciler: livingReconciler({
      kind: 'Workspace',
      conditions: workspaceConditions,
      gates: [validated(caches), volumeBound(ports)],
      phase: workspacePhase,
    }),
    sources: [
      ownedSource('claims', claims, workspaces.kind),
      mappedSource('runs', agentRuns, (run) => usedWorkspaces(run).map(parseKey), {
        // Between its creation and its end, a run changes nothing for its Workspaces.
        update: (before, after) =>
          isFinished(before.status?.conditions) !== isFinished(after.status?.conditions),
      }),
    ],
  }
}
