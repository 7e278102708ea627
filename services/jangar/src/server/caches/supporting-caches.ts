import { type ResourceCache, resourceCache } from '@agents/controller'
import {
  type AgentRun,
  type ApprovalDecision,
  type Artifact,
  agentRun,
  artifact,
  type Budget,
  budget,
  type OrchestrationRun,
  orchestrationRun,
  type Schedule,
  type SecretBinding,
  type Signal,
  type SignalDelivery,
  schedule,
  signal,
  signalDelivery,
  type Tool,
  type ToolRun,
  tool,
  toolRun,
  type Workspace,
  workspace,
} from '@agents/jangar-api'
import {
  type Informers,
  kindRef,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
} from '@agents/kube'
import { labels } from '../kubernetes/labels.ts'
import { type ApprovalCaches, approvalCaches, decisionCache } from './approval-caches.ts'
import { secretBindingsCache } from './secret-bindings-cache.ts'

/** The kinds that start, limit or supply runs, and the runs themselves. */
export interface SupportingCaches extends ApprovalCaches {
  /** Indexed by request. */
  readonly approvalDecisions: ResourceCache<ApprovalDecision>
  readonly schedules: ResourceCache<Schedule>
  readonly agentRuns: ResourceCache<AgentRun>
  readonly orchestrationRuns: ResourceCache<OrchestrationRun>
  readonly toolRuns: ResourceCache<ToolRun>
  readonly signals: ResourceCache<Signal>
  readonly signalDeliveries: ResourceCache<SignalDelivery>
  readonly tools: ResourceCache<Tool>
  readonly secretBindings: ResourceCache<SecretBinding>
  readonly workspaces: ResourceCache<Workspace>
  /** The claims of Workspaces. */
  readonly claims: ResourceCache<PersistentVolumeClaim>
  readonly artifacts: ResourceCache<Artifact>
  readonly budgets: ResourceCache<Budget>
}

export function supportingCaches(
  informers: Informers,
  namespaces: readonly string[],
): SupportingCaches {
  return {
    ...approvalCaches(informers, namespaces),
    approvalDecisions: decisionCache(informers, namespaces),
    schedules: resourceCache(informers, kindRef<Schedule>(schedule), namespaces),
    agentRuns: resourceCache(informers, kindRef<AgentRun>(agentRun), namespaces),
    orchestrationRuns: resourceCache(
      informers,
      kindRef<OrchestrationRun>(orchestrationRun),
      namespaces,
    ),
    toolRuns: resourceCache(informers, kindRef<ToolRun>(toolRun), namespaces),
    signals: resourceCache(informers, kindRef<Signal>(signal), namespaces),
    signalDeliveries: resourceCache(informers, kindRef<SignalDelivery>(signalDelivery), namespaces),
    tools: resourceCache(informers, kindRef<Tool>(tool), namespaces),
    secretBindings: secretBindingsCache(informers, namespaces),
    workspaces: resourceCache(informers, kindRef<Workspace>(workspace), namespaces),
    claims: resourceCache(informers, PersistentVolumeClaimKind, namespaces, {
      labelSelector: labels.workspace,
    }),
    artifacts: resourceCache(informers, kindRef<Artifact>(artifact), namespaces),
    budgets: resourceCache(informers, kindRef<Budget>(budget), namespaces),
  }
}
