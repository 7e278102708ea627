import { mappedSource } from '@agents/controller'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { isImported } from '../import/imported-spec.ts'
import { specLabel } from './triggered-run.ts'

/** What else than an ImplementationSpec itself causes work for it: its runs, and the source that imported it. */
export function specSources(
  caches: Pick<AgentsCaches, 'agentRuns' | 'implementationSources' | 'implementationSpecs'>,
) {
  return [
    mappedSource('runs', caches.agentRuns, ({ metadata: { namespace, labels } }) => {
      const of = labels?.[specLabel]
      return of === undefined ? [] : [{ namespace, name: of }]
    }),
    mappedSource('sources', caches.implementationSources, (source) =>
      caches.implementationSpecs
        .list(source.metadata.namespace)
        .filter((spec) => isImported(source.metadata.name, spec))
        .map(({ metadata }) => metadata),
    ),
  ]
}
