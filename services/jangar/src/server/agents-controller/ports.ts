import type { Clock, EventRecorder } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { AgentsCaches } from './agents-caches.ts'

/** The world, as the reconcilers of the agents group are given it. */
export interface AgentsPorts {
  readonly client: KubeClient
  readonly caches: AgentsCaches
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
  readonly config: Pick<ControllersConfig, 'agents' | 'runner'>
}
