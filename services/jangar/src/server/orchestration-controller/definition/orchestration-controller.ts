import {
  generationChanged,
  type KindController,
  livingReconciler,
  mappedSource,
  type ResourceCache,
  type Source,
} from '@agents/controller'
import { type Orchestration, orchestrationConditions, orchestrationPhase } from '@agents/jangar-api'
import { formatKey, type ObjectKey } from '@agents/kube'
import type { OrchestrationCaches } from '../../caches/orchestration-caches.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { referencesResolved } from './gates/references-resolved.ts'
import { validated } from './gates/validated.ts'
import { namesReferred } from './references.ts'

interface OrchestrationPorts {
  readonly caches: OrchestrationCaches
}

/** Reconciles Orchestrations: ready if the graph is valid and what its steps refer to exists. */
export function orchestrationController({
  caches,
}: OrchestrationPorts): KindController<Orchestration> {
  const { orchestrations } = caches
  return {
    primary: orchestrations,
    reconciler: livingReconciler({
      kind: 'Orchestration',
      conditions: orchestrationConditions,
      gates: [validated, referencesResolved(caches)],
      phase: orchestrationPhase,
    }),
    sources: [
      referrersSource('agents', caches.agents, orchestrations, (one) =>
        namesReferred(one, 'Agent'),
      ),
      referrersSource('implementationspecs', caches.implementationSpecs, orchestrations, (one) =>
        namesReferred(one, 'ImplementationSpec'),
      ),
      referrersSource('tools', caches.tools, orchestrations, (one) => namesReferred(one, 'Tool')),
      referrersSource('signals', caches.signals, orchestrations, (one) =>
        namesReferred(one, 'Signal'),
      ),
      referrersSource('approvalpolicies', caches.approvalPolicies, orchestrations, (one) =>
        namesReferred(one, 'ApprovalPolicy'),
      ),
      referrersSource('memories', caches.memories, orchestrations, (one) =>
        namesReferred(one, 'Memory'),
      ),
      nestedSource(orchestrations),
    ],
  }
}

const outerIndex = 'suborchestrations'

/** All Orchestrations that run the changed one, directly or through others: a circle can close anywhere below them. */
function nestedSource(orchestrations: ResourceCache<Orchestration>): Source {
  orchestrations.addIndexers({
    [outerIndex]: (outer) =>
      namesReferred(outer, 'Orchestration').map((name) =>
        formatKey({ namespace: outer.metadata.namespace, name }),
      ),
  })
  const outerOf = ({ metadata }: Orchestration): Iterable<ObjectKey> => {
    const found = new Map<string, ObjectKey>()
    const remaining: ObjectKey[] = [metadata]
    for (let key = remaining.pop(); key !== undefined; key = remaining.pop()) {
      for (const outer of orchestrations.byIndex(outerIndex, formatKey(key))) {
        const name = formatKey(outer.metadata)
        if (found.has(name)) continue
        found.set(name, outer.metadata)
        remaining.push(outer.metadata)
      }
    }
    return found.values()
  }
  return mappedSource(outerIndex, orchestrations, outerOf, generationChanged)
}
