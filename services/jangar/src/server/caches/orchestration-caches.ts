import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  type Agent,
  type ApprovalPolicy,
  agent,
  approvalPolicy,
  type ImplementationSpec,
  implementationSpec,
  type Orchestration,
  orchestration,
  type Signal,
  signal,
  type Tool,
  type ToolRun,
  tool,
  toolRun,
} from '@agents/jangar-api'
import { type Informers, kindRef } from '@agents/kube'

/** Orchestrations, the kinds that their steps refer to, and runs of tools. */
export interface OrchestrationCaches {
  readonly orchestrations: ResourceCache<Orchestration>
  readonly agents: ResourceCache<Agent>
  readonly implementationSpecs: ResourceCache<ImplementationSpec>
  readonly tools: ResourceCache<Tool>
  readonly toolRuns: ResourceCache<ToolRun>
  readonly signals: ResourceCache<Signal>
  readonly approvalPolicies: ResourceCache<ApprovalPolicy>
}

export function orchestrationCaches(
  informers: Informers,
  namespaces: readonly string[],
): OrchestrationCaches {
  return {
    orchestrations: resourceCache(informers, kindRef<Orchestration>(orchestration), namespaces),
    agents: resourceCache(informers, kindRef<Agent>(agent), namespaces),
    implementationSpecs: resourceCache(
      informers,
      kindRef<ImplementationSpec>(implementationSpec),
      namespaces,
    ),
    tools: resourceCache(informers, kindRef<Tool>(tool), namespaces),
    toolRuns: resourceCache(informers, kindRef<ToolRun>(toolRun), namespaces),
    signals: resourceCache(informers, kindRef<Signal>(signal), namespaces),
    approvalPolicies: resourceCache(informers, kindRef<ApprovalPolicy>(approvalPolicy), namespaces),
  }
}
