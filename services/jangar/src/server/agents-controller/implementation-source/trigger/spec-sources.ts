import { mappedSource } from '@agents/controller'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { isImported } from '../import/imported-spec.ts'
import { originOf, type StartedRun } from './started-runs.ts'
import { specLabel } from './triggered-run.ts'

/** What else than an ImplementationSpec itself causes work for it: its runs, and the source that imported it. */
export function specSources(
  caches: Pick<
    AgentsCaches,
    'agentRuns' | 'orchestrationRuns' | 'implementationSources' | 'implementationSpecs'
  >,
) {
  const specOf = (run: StartedRun | undefined) => {
    const of = run?.metadata.labels?.[specLabel]
    return of === undefined ? [] : [{ namespace: run?.metadata.namespace, name: of }]
  }
  return [
    mappedSource('runs', caches.agentRuns, (run) => specOf(originOf(caches, run))),
    mappedSource('orchestrationruns', caches.orchestrationRuns, specOf),
    mappedSource('sources', caches.implementationSources, (source) =>
      caches.implementationSpecs
        .list(source.metadata.namespace)
        .filter((spec) => isImported(source.metadata.name, spec))
        .map(({ metadata }) => metadata),
    ),
  ]
}
