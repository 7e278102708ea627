import { type GateOf, pass, type ResourceCache, stall } from '@agents/controller'
import type { Orchestration, orchestrationConditions } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { OrchestrationCaches } from '../../../caches/orchestration-caches.ts'
import { waitFor } from '../../../kubernetes/wait-for.ts'
import { mostLevels, nestingOf } from '../nesting.ts'
import { type ReferredKind, referencesOf } from '../references.ts'

/** The caches of the kinds that steps refer to. */
function referredCaches(
  caches: OrchestrationCaches,
): Readonly<Record<ReferredKind, Pick<ResourceCache, 'get'>>> {
  return {
    Agent: caches.agents,
    ImplementationSpec: caches.implementationSpecs,
    Tool: caches.tools,
    Orchestration: caches.orchestrations,
    Signal: caches.signals,
    ApprovalPolicy: caches.approvalPolicies,
    Memory: caches.memories,
  }
}

export function referencesResolved(
  caches: OrchestrationCaches,
): GateOf<typeof orchestrationConditions, 'ReferencesResolved', Orchestration> {
  const referred = referredCaches(caches)
  return {
    condition: 'ReferencesResolved',
    check: (orchestration) => {
      const { metadata, spec } = orchestration
      const { namespace } = metadata
      const nesting = nestingOf(orchestration, (name) =>
        name === metadata.name
          ? orchestration
          : caches.orchestrations.get(formatKey({ namespace, name })),
      )
      if (nesting.kind === 'circular') {
        const names = nesting.names.join(' → ')
        return stall('CircularOrchestration', `Orchestrations run each other in a circle: ${names}`)
      }
      if (nesting.kind === 'tooDeep') {
        const names = nesting.names.join(' → ')
        return stall(
          'OrchestrationTooDeep',
          `Orchestrations are nested more than ${mostLevels} levels deep: ${names}`,
        )
      }
      for (const [index, step] of spec.steps.entries()) {
        for (const { kind, name } of referencesOf(step)) {
          if (referred[kind].get(formatKey({ namespace, name })) !== undefined) continue
          return waitFor(
            'DependencyMissing',
            `spec.steps[${index}] (${step.name}): ${kind} ${name} does not exist; create it`,
          )
        }
      }
      return pass('Resolved', 'all objects that steps refer to exist')
    },
  }
}
