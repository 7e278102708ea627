import { type KindController, livingReconciler } from '@agents/controller'
import { type Tool, toolConditions, toolPhase } from '@agents/jangar-api'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { validated } from './gates/validated.ts'

/** Reconciles Tools: reports whether they can be run. */
export function toolController({
  caches,
}: {
  readonly caches: Pick<SupportingCaches, 'tools'>
}): KindController<Tool> {
  return {
    primary: caches.tools,
    reconciler: livingReconciler({
      kind: 'Tool',
      conditions: toolConditions,
      gates: [validated],
      phase: toolPhase,
    }),
    sources: [],
  }
}
