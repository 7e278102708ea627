import { type Clock, type ResourceCache, systemClock } from '@agents/controller'
import type { AgentRun, ApprovalRequest, OrchestrationRun, ToolRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import type { OrchestrationCaches } from '../../caches/orchestration-caches.ts'
import { conditionOf, isTrue } from '../../kubernetes/condition-of.ts'
import type { RawStep } from '../definition/graph.ts'
import { nameOfAgent } from '../definition/references.ts'
import type { ChildEnd, Outputs } from '../plan/plan-states.ts'
import { gateOutputs, gateSpec } from './approval-gate.ts'
import { hasEnded } from './has-ended.ts'

/** How the object of a kind of steps is made and read. */
export interface ChildKind {
  readonly cache: ResourceCache
  /** The spec of the object, from the rendered step. */
  specOf(step: RawStep, run: OrchestrationRun): object
  outputsOf(child: KubeObject): Outputs
}

export type ChildKinds = Readonly<Record<string, ChildKind>>

export function childKinds(
  caches: OrchestrationCaches,
  clock: Pick<Clock, 'now'> = systemClock,
): ChildKinds {
  const { agentRuns, toolRuns, orchestrationRuns } = caches
  return {
    AgentRun: {
      cache: agentRuns as unknown as ResourceCache,
      specOf: agentRunSpec,
      outputsOf: (child) => agentRunOutputs(child as unknown as AgentRun),
    },
    ToolRun: {
      cache: toolRuns as unknown as ResourceCache,
      specOf: ({ toolRef, with: parameters }, { spec }) => ({
        toolRef: { name: toolRef?.name ?? '' },
        ...(parameters && { parameters }),
        ...priorityOf(spec),
      }),
      outputsOf: (child) => ((child as unknown as ToolRun).status?.outputs ?? {}) as Outputs,
    },
    MemoryOp: {
      cache: toolRuns as unknown as ResourceCache,
      specOf: (step, { spec }) => ({ memory: memoryOf(step), ...priorityOf(spec) }),
      outputsOf: (child) => ((child as unknown as ToolRun).status?.outputs ?? {}) as Outputs,
    },
    SubOrchestration: {
      cache: orchestrationRuns as unknown as ResourceCache,
      specOf: ({ orchestrationRef, with: parameters }, { spec }) => ({
        orchestrationRef: { name: orchestrationRef?.name ?? '' },
        ...(parameters && { parameters }),
        ...priorityOf(spec),
      }),
      outputsOf: (child) => (child as unknown as OrchestrationRun).status?.outputs ?? {},
    },
    ApprovalGate: {
      cache: caches.approvalRequests as unknown as ResourceCache,
      specOf: (step, run) => gateSpec(step, run, caches.approvalPolicies, clock.now()),
      outputsOf: (child) => gateOutputs(child as unknown as ApprovalRequest),
    },
  }
}

function priorityOf(spec: OrchestrationRun['spec']): object {
  return spec.priority === undefined ? {} : { priority: spec.priority }
}

/** A limit that is not a number is left to the definition of ToolRuns, which refuses it. */
function memoryOf({ memoryRef, with: values = {} }: RawStep): object {
  const { op, limit, ...rest } = values
  return {
    ...(memoryRef?.name && { memoryRef: { name: memoryRef.name } }),
    operation: op,
    ...rest,
    ...(limit !== undefined && { limit: /^\d+$/.test(limit) ? Number(limit) : limit }),
  }
}

const defaultRuntime = { type: 'job' }

function agentRunSpec(step: RawStep, { spec }: OrchestrationRun): object {
  const { implementationSpecRef, implementation, runtime, workload, workflow } = step
  const { memoryRef, secrets, with: values = {} } = step
  const { agentRef: _, ...parameters } = values
  const isGiven = step.agentRef?.name !== undefined && step.agentRef.name !== ''
  return {
    agentRef: { name: nameOfAgent(step) ?? '' },
    ...(implementationSpecRef && { implementationSpecRef }),
    ...(implementation && { implementation }),
    runtime: { ...defaultRuntime, ...runtime },
    ...(workload && { workload }),
    ...(workflow && { workflow }),
    ...(memoryRef && { memoryRef }),
    ...(secrets && { secrets }),
    parameters: isGiven ? values : parameters,
    ...priorityOf(spec),
  }
}

/**
 * What the agent reported, and what was pushed. The latter is never the agent's to say, since later steps may merge it:
 * with a repository, its own outputs of these names do not count.
 */
function agentRunOutputs({ status }: AgentRun): Outputs {
  const { vcs, outputs = {} } = status ?? {}
  if (vcs === undefined) return outputs
  const { branch: _branch, commit: _commit, pullRequest: _request, ...reported } = outputs
  const { headBranch, commit, pullRequest } = vcs
  return {
    ...reported,
    ...(headBranch !== undefined && { branch: headBranch }),
    ...(commit !== undefined && { commit }),
    ...(pullRequest?.url !== undefined && { pullRequest: pullRequest.url }),
  }
}

/** How a child ended; undefined while it has not. */
export function endOfChild(kind: ChildKind, child: KubeObject): ChildEnd | undefined {
  if (!hasEnded(child)) return undefined
  if (isTrue(child, 'Succeeded')) return { kind: 'succeeded', outputs: kind.outputsOf(child) }
  const { reason, message = '' } = conditionOf(child, 'Succeeded') ?? {}
  const isCancelled = conditionOf(child, 'Finished')?.reason === 'Cancelled'
  if (isCancelled) return { kind: 'cancelled', message: `${child.metadata.name} was cancelled` }
  return { kind: 'failed', message: `${child.metadata.name}: ${reason}: ${message}`.slice(0, 1024) }
}
