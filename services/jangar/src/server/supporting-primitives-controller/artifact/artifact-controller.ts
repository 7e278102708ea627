import type { ArtifactStore } from '@agents/artifact-store'
import { type KindController, livingReconciler } from '@agents/controller'
import { type Artifact, artifactConditions, artifactPhase } from '@agents/jangar-api'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { storageResolved } from './gates/storage-resolved.ts'
import { stored } from './gates/stored.ts'

interface ArtifactPorts {
  readonly caches: Pick<SupportingCaches, 'artifacts'>
  /** Undefined if the platform keeps no artifacts. */
  readonly store: ArtifactStore | undefined
}

/** Reconciles Artifacts: ready while their content is in the store. */
export function artifactController({ caches, store }: ArtifactPorts): KindController<Artifact> {
  return {
    primary: caches.artifacts,
    reconciler: livingReconciler({
      kind: 'Artifact',
      conditions: artifactConditions,
      gates: [storageResolved(store !== undefined), stored(store)],
      phase: artifactPhase,
      // Runs may leave hundreds behind.
      events: 'warnings',
    }),
    sources: [],
    workers: 4,
  }
}
