import type { ConfigOf } from '@agents/config'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { artifactLimits, artifacts } from '../../config/artifacts.ts'
import { uploadAcceptor } from './accept-upload.ts'
import { openArtifactStore } from './open-artifact-store.ts'

export interface ArtifactSettings {
  readonly artifacts: ConfigOf<typeof artifacts>
  readonly artifactLimits: ConfigOf<typeof artifactLimits>
}

/** What the HTTP API needs for artifacts. Undefined if the platform keeps none. */
export function apiArtifacts(settings: ArtifactSettings, client: KubeClient, log: Logger) {
  const store = openArtifactStore(settings.artifacts)
  if (store === undefined) return undefined
  const limits = settings.artifactLimits
  const accept = uploadAcceptor({ store, client, limits, log })
  return { store, accept, maxBytes: limits.maxBytes }
}
