import type { Agent, AgentProvider, AgentRun } from '@agents/jangar-api'
import { findNamed } from './dependency.ts'
import { parametersProblem } from './parameters.ts'
import { imageProblem, labelProblem } from './platform-policy.ts'
import { type Found, found, refused } from './problem.ts'
import type { Implementation, ResolutionPorts, WorkflowStep, Workload } from './resolution.ts'
import { type RuntimeSettings, readRuntimeSettings } from './runtime-settings.ts'
import { securityProblem } from './security-wishes.ts'
import { workloadProblem } from './workload-problem.ts'

/** What the run and its step say themselves, found to be in order. */
export interface OwnWords {
  readonly parameters: Readonly<Record<string, string>>
  readonly settings: RuntimeSettings
  readonly workload: Workload
  readonly image: string
}

/** Everything that can be said of a run without looking at anything else. */
export function ownWords(
  { metadata, spec }: AgentRun,
  step: WorkflowStep | undefined,
  { config }: Pick<ResolutionPorts, 'config'>,
): Found<OwnWords> {
  const parameters = { ...spec.parameters, ...step?.parameters }
  const workload = step?.workload ?? spec.workload ?? {}
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
      'neither the run nor the platform names an image; create the run again with workload.image',
    )
  }
  const settings = readRuntimeSettings(spec.runtime.config)
  if (settings.kind !== 'found') return settings
  return (
    securityProblem(settings.value.podSecurityContext) ??
    imageProblem(image, admission) ??
    found({ parameters, settings: settings.value, workload, image })
  )
}

export interface Doers {
  readonly agent: Agent
  readonly provider: AgentProvider
}

export function findDoers(
  { metadata: { namespace }, spec }: AgentRun,
  { caches }: Pick<ResolutionPorts, 'caches'>,
): Found<Doers> {
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

/** The step's word goes before the run's, and what is written out before a reference. */
export function findTask(
  { metadata: { namespace }, spec }: AgentRun,
  step: WorkflowStep | undefined,
  { caches }: Pick<ResolutionPorts, 'caches'>,
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
    'neither the run nor the step says what to do; set implementationSpecRef or implementation',
  )
}
