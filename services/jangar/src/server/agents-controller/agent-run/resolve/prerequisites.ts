import type { Agent, AgentProvider, AgentRun } from '@agents/jangar-api'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { findNamed } from '../../../kubernetes/dependency.ts'
import { type AgentDefaults, mergeSettings } from './agent-defaults.ts'
import { parametersProblem } from './parameters.ts'
import {
  claimProblem,
  imageProblem,
  labelProblem,
  priorityClassProblem,
} from './platform-policy.ts'
import { type Found, found, refused } from './problem.ts'
import type { Implementation, ResolutionPorts, WorkflowStep, Workload } from './resolution.ts'
import { type RuntimeSettings, readRuntimeSettings } from './runtime-settings.ts'
import { workloadProblem } from './workload-problem.ts'

/** The validated settings of the run and its step over the agent's defaults, without anything that they refer to. */
export interface OwnSettings {
  readonly parameters: Readonly<Record<string, string>>
  readonly settings: RuntimeSettings
  readonly workload: Workload
  readonly image: string
}

/** Validates everything that depends only on the run itself, the agent's defaults and the platform's configuration. */
export function ownSettings(
  { metadata, spec }: AgentRun,
  step: WorkflowStep | undefined,
  defaults: AgentDefaults,
  { config }: Pick<ResolutionPorts, 'config'>,
): Found<OwnSettings> {
  const { parameters, workload, runtimeConfig } = mergeSettings(defaults, spec, step)
  const { admission } = config.agents
  const problem =
    parametersProblem(parameters) ??
    labelProblem(metadata.labels ?? {}, admission) ??
    workloadProblem(workload)
  if (problem !== undefined) return problem
  const image = workload.image || config.runner.image || config.runner.fallbackImage
  if (image === undefined) {
    return refused(
      'MissingWorkloadImage',
      'neither the run, its agent nor the platform specifies an image; create the run again with workload.image',
    )
  }
  const settings = readRuntimeSettings(runtimeConfig)
  if (settings.kind !== 'found') return settings
  return (
    imageProblem(image, admission) ??
    priorityClassProblem(settings.value, config) ??
    claimProblem(workload, admission) ??
    found({ parameters, settings: settings.value, workload, image })
  )
}

export interface AgentAndProvider {
  readonly agent: Agent
  readonly provider: AgentProvider
}

export function findAgentAndProvider(
  { metadata: { namespace }, spec }: AgentRun,
  { caches }: Pick<ResolutionPorts, 'caches'>,
): Found<AgentAndProvider> {
  const { name } = spec.agentRef
  const agent = findNamed(caches.agents, { namespace, name }, 'the run')
  if (agent.kind !== 'found') return agent
  const key = { namespace, name: agent.value.spec.providerRef.name }
  const provider = findNamed(caches.agentProviders, key, `Agent ${name}`)
  if (provider.kind !== 'found') return provider
  return found({ agent: agent.value, provider: provider.value })
}

export interface Task {
  readonly implementation: Implementation
  readonly implementationName?: string
}

/** The step takes precedence over the run, and an inline implementation over a reference. */
export function findTask(
  { metadata: { namespace }, spec }: AgentRun,
  step: WorkflowStep | undefined,
  { caches }: { readonly caches: Pick<AgentsCaches, 'implementationSpecs'> },
): Found<Task> {
  const sources = [
    [step, `step ${step?.name}`],
    [spec, 'the run'],
  ] as const
  for (const [source, whose] of sources) {
    if (source?.implementation) return found({ implementation: source.implementation.inline })
    if (!source?.implementationSpecRef) continue
    const { name } = source.implementationSpecRef
    const named = findNamed(caches.implementationSpecs, { namespace, name }, whose)
    if (named.kind !== 'found') return named
    return found({ implementation: named.value.spec, implementationName: name })
  }
  return refused(
    'MissingImplementation',
    'neither the run nor the step specifies the work to do; set implementationSpecRef or implementation',
  )
}
