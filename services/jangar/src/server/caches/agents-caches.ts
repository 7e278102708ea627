import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  type Agent,
  type AgentProvider,
  type AgentRun,
  agent,
  agentProvider,
  agentRun,
  type ImplementationSource,
  type ImplementationSpec,
  implementationSource,
  implementationSpec,
  type Memory,
  memory,
  type OrchestrationRun,
  orchestrationRun,
  type SecretBinding,
  type VersionControlProvider,
  versionControlProvider,
  type Workspace,
  workspace,
} from '@agents/jangar-api'
import { type Informers, kindRef } from '@agents/kube'
import { enforcedBindings } from '../primitives-policy/secret-bindings.ts'
import { type ApprovalCaches, approvalCaches } from './approval-caches.ts'
import { secretBindingsCache } from './secret-bindings-cache.ts'

/** The kinds of the agents group, and approvals. Shared: one watch for each kind, however many controllers read it. */
export interface AgentsCaches extends ApprovalCaches {
  readonly agents: ResourceCache<Agent>
  readonly agentProviders: ResourceCache<AgentProvider>
  readonly agentRuns: ResourceCache<AgentRun>
  /** Those that triggers start. */
  readonly orchestrationRuns: ResourceCache<OrchestrationRun>
  readonly implementationSpecs: ResourceCache<ImplementationSpec>
  readonly implementationSources: ResourceCache<ImplementationSource>
  readonly versionControlProviders: ResourceCache<VersionControlProvider>
  readonly memories: ResourceCache<Memory>
  readonly secretBindings: ResourceCache<SecretBinding>
  readonly workspaces: ResourceCache<Workspace>
}

export function agentsCaches(informers: Informers, namespaces: readonly string[]): AgentsCaches {
  return {
    ...approvalCaches(informers, namespaces),
    agents: resourceCache(informers, kindRef<Agent>(agent), namespaces),
    agentProviders: resourceCache(informers, kindRef<AgentProvider>(agentProvider), namespaces),
    agentRuns: resourceCache(informers, kindRef<AgentRun>(agentRun), namespaces),
    orchestrationRuns: resourceCache(
      informers,
      kindRef<OrchestrationRun>(orchestrationRun),
      namespaces,
    ),
    implementationSpecs: resourceCache(
      informers,
      kindRef<ImplementationSpec>(implementationSpec),
      namespaces,
    ),
    implementationSources: resourceCache(
      informers,
      kindRef<ImplementationSource>(implementationSource),
      namespaces,
    ),
    versionControlProviders: resourceCache(
      informers,
      kindRef<VersionControlProvider>(versionControlProvider),
      namespaces,
    ),
    memories: resourceCache(informers, kindRef<Memory>(memory), namespaces),
    secretBindings: enforcedBindings(secretBindingsCache(informers, namespaces)),
    workspaces: resourceCache(informers, kindRef<Workspace>(workspace), namespaces),
  }
}
