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
  type VersionControlProvider,
  versionControlProvider,
} from '@agents/jangar-api'
import {
  byOwner,
  type ConfigMap,
  ConfigMapKind,
  type Informers,
  type Job,
  JobKind,
  kindRef,
  OWNER_INDEX,
  type Pod,
  PodKind,
  type Secret,
  SecretKind,
} from '@agents/kube'
import { withoutContent, withoutValues } from '../kubernetes/key-only.ts'
import { withoutPodSpec, withoutTemplate } from '../kubernetes/status-only.ts'
import { runIndexers } from './agent-run/resolution/run-indexers.ts'
import { labels } from './labels.ts'

/** What the controllers of the agents group look at. Shared: one watch for a kind, whoever reads it. */
export interface AgentsCaches {
  readonly agents: ResourceCache<Agent>
  readonly agentProviders: ResourceCache<AgentProvider>
  readonly agentRuns: ResourceCache<AgentRun>
  readonly implementationSpecs: ResourceCache<ImplementationSpec>
  readonly implementationSources: ResourceCache<ImplementationSource>
  readonly versionControlProviders: ResourceCache<VersionControlProvider>
  readonly memories: ResourceCache<Memory>
  /** Keys without values. */
  readonly secrets: ResourceCache<Secret>
  /** Keys without values, and without those that runs make for their attempts. */
  readonly configMaps: ResourceCache<ConfigMap>
  /** Those of runs only, without their pods' template; indexed by their owners. */
  readonly jobs: ResourceCache<Job>
  /** Those of runs only, without their spec; indexed by their owners. */
  readonly pods: ResourceCache<Pod>
}

export function agentsCaches(informers: Informers, namespaces: readonly string[]): AgentsCaches {
  const ofRuns = { labelSelector: labels.agentRun, indexers: { [OWNER_INDEX]: byOwner } }
  return {
    agents: resourceCache(informers, kindRef<Agent>(agent), namespaces),
    agentProviders: resourceCache(informers, kindRef<AgentProvider>(agentProvider), namespaces),
    agentRuns: resourceCache(informers, kindRef<AgentRun>(agentRun), namespaces, {
      indexers: runIndexers,
    }),
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
    secrets: resourceCache(informers, SecretKind, namespaces, { transform: withoutValues }),
    configMaps: resourceCache(informers, ConfigMapKind, namespaces, {
      labelSelector: `!${labels.attempt}`,
      transform: withoutContent,
    }),
    jobs: resourceCache(informers, JobKind, namespaces, {
      ...ofRuns,
      transform: withoutTemplate,
    }),
    pods: resourceCache(informers, PodKind, namespaces, { ...ofRuns, transform: withoutPodSpec }),
  }
}
