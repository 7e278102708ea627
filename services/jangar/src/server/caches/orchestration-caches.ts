import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  type Agent,
  type AgentRun,
  agent,
  agentRun,
  type ImplementationSpec,
  implementationSpec,
  type Memory,
  memory,
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
  type SecretBinding,
  type Signal,
  type SignalDelivery,
  signal,
  signalDelivery,
  type Tool,
  type ToolRun,
  tool,
  toolRun,
  type VersionControlProvider,
  versionControlProvider,
} from '@agents/jangar-api'
import { type Informers, kindRef } from '@agents/kube'
import { enforcedBindings } from '../primitives-policy/secret-bindings.ts'
import { type ApprovalCaches, approvalCaches } from './approval-caches.ts'
import { secretBindingsCache } from './secret-bindings-cache.ts'

/** Orchestrations and their runs, the kinds that steps refer to, what they create, and what they wait for. */
export interface OrchestrationCaches extends ApprovalCaches {
  readonly orchestrations: ResourceCache<Orchestration>
  readonly agents: ResourceCache<Agent>
  readonly implementationSpecs: ResourceCache<ImplementationSpec>
  readonly tools: ResourceCache<Tool>
  readonly signals: ResourceCache<Signal>
  readonly memories: ResourceCache<Memory>
  readonly orchestrationRuns: ResourceCache<OrchestrationRun>
  readonly agentRuns: ResourceCache<AgentRun>
  readonly toolRuns: ResourceCache<ToolRun>
  readonly signalDeliveries: ResourceCache<SignalDelivery>
  /** Their credentials are not for tools. */
  readonly versionControlProviders: ResourceCache<VersionControlProvider>
  readonly secretBindings: ResourceCache<SecretBinding>
}

export function orchestrationCaches(
  informers: Informers,
  namespaces: readonly string[],
): OrchestrationCaches {
  return {
    ...approvalCaches(informers, namespaces),
    orchestrations: resourceCache(informers, kindRef<Orchestration>(orchestration), namespaces),
    agents: resourceCache(informers, kindRef<Agent>(agent), namespaces),
    implementationSpecs: resourceCache(
      informers,
      kindRef<ImplementationSpec>(implementationSpec),
      namespaces,
    ),
    tools: resourceCache(informers, kindRef<Tool>(tool), namespaces),
    signals: resourceCache(informers, kindRef<Signal>(signal), namespaces),
    memories: resourceCache(informers, kindRef<Memory>(memory), namespaces),
    orchestrationRuns: resourceCache(
      informers,
      kindRef<OrchestrationRun>(orchestrationRun),
      namespaces,
    ),
    agentRuns: resourceCache(informers, kindRef<AgentRun>(agentRun), namespaces),
    toolRuns: resourceCache(informers, kindRef<ToolRun>(toolRun), namespaces),
    signalDeliveries: resourceCache(informers, kindRef<SignalDelivery>(signalDelivery), namespaces),
    versionControlProviders: resourceCache(
      informers,
      kindRef<VersionControlProvider>(versionControlProvider),
      namespaces,
    ),
    secretBindings: enforcedBindings(secretBindingsCache(informers, namespaces)),
  }
}
