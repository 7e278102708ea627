import type { ResourceCache, Source } from '@agents/controller'
import type { AgentRun } from '@agents/jangar-api'
import type { AgentsCaches } from '../../caches/agents-caches.ts'
import type { CoreCaches } from '../../caches/core-caches.ts'
import { awaitedSources } from '../../jobs/awaiting-runs.ts'
import { jobSources } from '../../jobs/job-sources.ts'
import { runtimeRefOf } from '../../jobs/runtime-ref.ts'
import { agentRunKind } from './agent-run-kind.ts'

/** Changes of other objects that requeue a run. */
export function runSources(caches: AgentsCaches & CoreCaches): Source[] {
  const dependencies = [
    caches.agents,
    caches.agentProviders,
    caches.implementationSpecs,
    caches.versionControlProviders,
    caches.memories,
    caches.secretBindings,
    caches.workspaces,
    caches.secrets,
    caches.configMaps,
  ] as readonly ResourceCache[]
  return [
    ...jobSources(caches, agentRunKind),
    ...awaitedSources(caches.agentRuns, dependencies, isRunning),
  ]
}

function isRunning(run: AgentRun): boolean {
  const steps = run.status?.workflow?.steps ?? [runtimeRefOf(run)?.task]
  return steps.some((step) => step?.phase === 'Running')
}
