import { type EventRecorder, type KindController, livingReconciler } from '@agents/controller'
import { type Budget, budgetConditions, budgetPhase } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { BudgetBook } from '../../budgets/budget-book.ts'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { validated } from './gates/validated.ts'
import { withinLimits } from './gates/within-limits.ts'
import { treeStopper } from './stop-trees.ts'

interface BudgetPorts {
  readonly client: Pick<KubeClient, 'patch'>
  readonly caches: Pick<
    SupportingCaches,
    'budgets' | 'agentRuns' | 'toolRuns' | 'orchestrationRuns'
  >
  readonly book: BudgetBook
  readonly events: EventRecorder
}

/** Reconciles Budgets: reports what is used. The controllers of runs enforce the limits. */
export function budgetController(ports: BudgetPorts): KindController<Budget> {
  const { book, events, caches } = ports
  return {
    primary: caches.budgets,
    reconciler: livingReconciler({
      kind: 'Budget',
      conditions: budgetConditions,
      gates: [validated, withinLimits({ book, events, stopTrees: treeStopper(ports) })],
      phase: budgetPhase,
    }),
    sources: [book.sourceOf('Budget')],
  }
}
