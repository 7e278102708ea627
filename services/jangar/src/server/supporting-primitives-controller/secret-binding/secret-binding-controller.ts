import { type KindController, livingReconciler } from '@agents/controller'
import { type SecretBinding, secretBindingConditions, secretBindingPhase } from '@agents/jangar-api'
import type { SupportingCaches } from '../../caches/supporting-caches.ts'
import { validated } from './gates/validated.ts'

/** Reconciles SecretBindings: reports whether they are in effect. The controllers of runs enforce them. */
export function secretBindingController({
  caches,
}: {
  readonly caches: Pick<SupportingCaches, 'secretBindings'>
}): KindController<SecretBinding> {
  return {
    primary: caches.secretBindings,
    reconciler: livingReconciler({
      kind: 'SecretBinding',
      conditions: secretBindingConditions,
      gates: [validated],
      phase: secretBindingPhase,
    }),
    sources: [],
  }
}
