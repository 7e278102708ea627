import type { ArtifactStore } from '@agents/artifact-store'
import type { Clock, EventRecorder, KindController } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import type { ControllersConfig } from '../../config/controllers.ts'
import { DecisionGuard } from '../approvals/decision-guard.ts'
import type { BudgetBook } from '../budgets/budget-book.ts'
import type { SupportingCaches } from '../caches/supporting-caches.ts'
import { approvalDecisionController } from './approval-decision/approval-decision-controller.ts'
import { approvalPolicyController } from './approval-policy/approval-policy-controller.ts'
import { approvalRequestController } from './approval-request/approval-request-controller.ts'
import { artifactController } from './artifact/artifact-controller.ts'
import { budgetController } from './budget/budget-controller.ts'
import { scheduleController } from './schedule/schedule-controller.ts'
import { secretBindingController } from './secret-binding/secret-binding-controller.ts'
import { payloadChecks } from './signal/payload-checks.ts'
import { signalController } from './signal/signal-controller.ts'
import { signalDeliveryController } from './signal-delivery/signal-delivery-controller.ts'
import { toolController } from './tool/tool-controller.ts'
import { workspaceController } from './workspace/workspace-controller.ts'

interface SupportingPorts {
  readonly client: KubeClient
  readonly caches: SupportingCaches
  readonly clock: Clock
  readonly book: BudgetBook
  readonly events: EventRecorder
  readonly config: Pick<ControllersConfig, 'approvals' | 'supporting'>
  /** Undefined if the platform keeps no artifacts. */
  readonly store: ArtifactStore | undefined
}

/** The controllers of the kinds that start, limit or supply runs. */
export function supportingController({
  client,
  caches,
  clock,
  book,
  events,
  config,
  store,
}: SupportingPorts) {
  const checks = payloadChecks()
  const retentionMs = config.supporting.signalDeliveryRetentionMs
  const { allowUnverified } = config.approvals
  const guard = new DecisionGuard({ client, clock })
  return [
    approvalDecisionController({ caches, guard, allowUnverified }),
    approvalPolicyController({ caches }),
    approvalRequestController({ caches, guard, allowUnverified }),
    scheduleController({ client, caches }),
    signalController({ caches, checks }),
    signalDeliveryController({ client, caches, checks, retentionMs }),
    toolController({ caches }),
    secretBindingController({ caches }),
    workspaceController({ client, caches }),
    artifactController({ caches, store }),
    budgetController({ client, caches, book, events }),
  ] as unknown as readonly KindController[]
}
