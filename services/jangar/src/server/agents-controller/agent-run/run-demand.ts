import type { AgentRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import type { Demand } from '../../admission/scopes.ts'
import type { AgentsCaches } from '../../caches/agents-caches.ts'
import { runtimeRefOf } from '../../jobs/runtime-ref.ts'
import { isExclusive, workspacesOf } from '../../primitives-policy/workspaces.ts'
import { mergeSettings } from './resolve/agent-defaults.ts'
import { metadataOf } from './resolve/metadata.ts'
import { findTask } from './resolve/prerequisites.ts'

type WorkspaceCaches = Pick<AgentsCaches, 'workspaces'>
type DemandCaches = Pick<AgentsCaches, 'agents' | 'implementationSpecs' | 'workspaces'>

/**
 * What the run counts against in admission, before it is resolved or after the process that resolved it has ended. The
 * Agent and the ImplementationSpec may name the repository, as when the run is resolved, until it has started.
 */
export function demandOf(run: AgentRun, caches: DemandCaches): Demand {
  const { spec, status } = run
  const started = runtimeRefOf(run)
  const repository =
    started?.repository ??
    status?.vcs?.repository ??
    (started ? metadataOf(spec.parameters ?? {}, noTask) : metadataNow(run, caches)).repository
  return { agent: spec.agentRef.name, repository, workspaces: exclusiveWorkspaces(run, caches) }
}

/** The Workspaces of the run that no other run may use meanwhile. */
export function exclusiveWorkspaces(run: AgentRun, { workspaces }: WorkspaceCaches): string[] {
  const { namespace } = run.metadata
  return workspacesOf(run).filter((name) =>
    isExclusive(workspaces.get(formatKey({ namespace, name }))),
  )
}

const noTask = { text: '' }

/** The metadata of the run, or of the first step of its workflow, as it would be resolved now. */
function metadataNow(run: AgentRun, caches: DemandCaches): ReturnType<typeof metadataOf> {
  const { metadata, spec } = run
  const { namespace } = metadata
  const step = spec.runtime.type === 'workflow' ? spec.workflow?.steps[0] : undefined
  const agent = caches.agents.get(formatKey({ namespace, name: spec.agentRef.name }))
  const defaults = agent?.spec.defaults ?? {}
  const { parameters } = mergeSettings(defaults, spec, step)
  const task = findTask(run, step, { caches })
  const implementation = task.kind === 'found' ? task.value.implementation : noTask
  return metadataOf(parameters, implementation, defaults.repository)
}
