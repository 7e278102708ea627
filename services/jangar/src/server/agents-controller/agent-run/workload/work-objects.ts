import type { AgentRun } from '@agents/jangar-api'
import type { ConfigMap, Job, New } from '@agents/kube'
import type { AgentsPorts } from '../../ports.ts'
import type { Refused, ResolvedWork } from '../resolution/resolution.ts'

/** Which Job of the run. */
export interface WorkOf {
  readonly run: AgentRun
  /** `index` counts from 1. */
  readonly step?: { readonly name: string; readonly index: number }
  /** Counts from 1. */
  readonly attempt: number
  /** What earlier steps reported, by step, in order; templates find it in `inputs`, where parameters outrank it. */
  readonly stepOutputs?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** To be created in this order, ConfigMaps first; their names are the same each time. The caller adds the owner. */
export interface WorkObjects {
  readonly kind: 'objects'
  readonly configMaps: readonly Named<ConfigMap>[]
  readonly job: Named<Job>
}

export type Named<T extends ConfigMap | Job> = New<T> & { metadata: { name: string } }

/** The Job that carries the work, or why its templates cannot be filled in. */
export function workObjects(
  work: ResolvedWork,
  of: WorkOf,
  config: AgentsPorts['config'],
): WorkObjects | Refused {
  void [work, of, config]
  return { kind: 'refused', reason: 'InvalidTemplate', message: 'nothing is built yet' }
}
