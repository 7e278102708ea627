import type { Clock, EventRecorder } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { Tracer } from '@agents/tracing'
import type { ControllersConfig } from '../../config/controllers.ts'
import type { BudgetBook } from '../budgets/budget-book.ts'
import type { AgentsCaches } from '../caches/agents-caches.ts'
import type { CoreCaches } from '../caches/core-caches.ts'
import type { RunArchive } from '../kubernetes/run-archive.ts'
import type { IsPlatformAccount } from '../primitives-policy/service-accounts.ts'

/** What the reconcilers of the agents group depend on. */
export interface AgentsPorts {
  readonly client: KubeClient
  readonly caches: AgentsCaches & CoreCaches
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
  readonly config: Pick<ControllersConfig, 'agents' | 'runner'> &
    Partial<Pick<ControllersConfig, 'approvals' | 'artifactUploads' | 'pod'>>
  /** If omitted, runs are not archived. */
  readonly archive?: RunArchive<AgentRun> | undefined
  /** If omitted, Budgets are not enforced. */
  readonly budgets?: BudgetBook | undefined
  /** Whether a component of this release receives webhooks. If omitted, none does. */
  readonly receivesWebhooks?: boolean | undefined
  /** Recognises the platform's own service accounts, which no run may use. */
  readonly isPlatformAccount: IsPlatformAccount
}
