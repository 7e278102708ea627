import { type KindController, livingReconciler, type ResourceCache } from '@agents/controller'
import { type Tool, toolConditions, toolPhase } from '@agents/jangar-api'
import { validated } from './gates/validated.ts'

/** Reconciles Tools: reports whether they can be run. */
export function toolController({
  caches,
}: {
  readonly caches: { readonly tools: ResourceCache<Tool> }
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
