import { type KindController, livingReconciler } from '@agents/controller'
import { type ImplementationSpec, implementationSpecConditions } from '@agents/jangar-api'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import type { AgentsPorts } from '../ports.ts'
import { versionControlResolved } from '../version-control-provider/gates/version-control-resolved.ts'
import { validated } from './gates/validated.ts'

/** Reconciles ImplementationSpecs: ready if a run can use them. */
export function implementationSpecController({
  caches,
}: AgentsPorts): KindController<ImplementationSpec> {
  const { implementationSpecs, versionControlProviders } = caches
  return {
    primary: implementationSpecs,
    reconciler: livingReconciler({
      kind: 'ImplementationSpec',
      conditions: implementationSpecConditions,
      gates: [validated, versionControlResolved<ImplementationSpec>(caches)],
    }),
    sources: [
      referrersSource(
        'versioncontrolproviders',
        versionControlProviders,
        implementationSpecs,
        ({ spec }) => [spec.vcsRef?.name],
      ),
    ],
  }
}
