import type { ConfigMap, Job, New } from '@agents/kube'

/** The objects of one attempt. Names are deterministic; the owner reference is added when they are created. */
export interface AttemptObjects {
  /** Created before the Job, which mounts them. */
  readonly configMaps: readonly Named<ConfigMap>[]
  readonly job: Named<Job>
  /** Names of the ConfigMaps of the previous attempt. They are deleted; some may never have existed. */
  readonly superseded: readonly string[]
}

export type Named<T extends ConfigMap | Job> = New<T> & { metadata: { name: string } }
