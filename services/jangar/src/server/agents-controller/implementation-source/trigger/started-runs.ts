import type { ResourceCache } from '@agents/controller'
import type { AgentRun, ImplementationSource, OrchestrationRun } from '@agents/jangar-api'
import {
  controllerOfKind,
  formatKey,
  isNotFound,
  type KubeClient,
  type KubeObject,
} from '@agents/kube'
import { isFinished } from '@agents/status'
import type { AgentsCaches } from '../../../caches/agents-caches.ts'
import { labelValue } from '../../../kubernetes/labels.ts'
import { sourceLabel } from '../import/imported-spec.ts'

/** What a trigger can start. */
export type StartedRun = AgentRun | OrchestrationRun

export type RunCaches = Pick<AgentsCaches, 'agentRuns' | 'orchestrationRuns'>

/** A run and the kind that it is of. */
export interface KindOfRun {
  readonly cache: ResourceCache<StartedRun>
  readonly run: StartedRun
}

export function startedKinds({ agentRuns, orchestrationRuns }: RunCaches) {
  return {
    AgentRun: agentRuns as unknown as ResourceCache<StartedRun>,
    OrchestrationRun: orchestrationRuns as unknown as ResourceCache<StartedRun>,
  }
}

/** The runs with a label, from the server: the caches may not have what was started a moment ago. */
export async function listStarted(
  { client, caches }: { readonly client: KubeClient; readonly caches: RunCaches },
  namespace: string | undefined,
  labelSelector: string,
  signal: AbortSignal,
): Promise<readonly KindOfRun[]> {
  const kinds = Object.values(startedKinds(caches))
  const lists = await Promise.all(
    kinds.map(async (cache) => {
      const { items } = await client.list(cache.kind, { namespace, labelSelector, signal })
      return items.map((run) => ({ cache, run }))
    }),
  )
  return lists.flat()
}

export function isActive({ status }: StartedRun): boolean {
  return !isFinished(status?.conditions ?? [])
}

/** Tells a run to stop. It may be deleted already. */
export async function cancelRun(
  client: KubeClient,
  { cache, run }: KindOfRun,
  signal: AbortSignal,
): Promise<void> {
  const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
  try {
    await client.patch(cache.kind, run.metadata, patch, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** The runs that triggers of the source started, of all issues, as the caches have them. */
export function startedBy(
  caches: RunCaches,
  { metadata: { namespace, name } }: ImplementationSource,
): readonly StartedRun[] {
  return Object.values(startedKinds(caches))
    .flatMap((cache) => cache.list(namespace))
    .filter(({ metadata }) => metadata.labels?.[sourceLabel] === labelValue(name))
}

/** Orchestrations are nested no deeper. */
const deepest = 32

/**
 * The run that a trigger started and that this AgentRun is a part of: the AgentRun itself, or the OrchestrationRun of
 * whose steps it is one. Undefined if no trigger started it.
 */
export function originOf(caches: RunCaches, run: AgentRun): StartedRun | undefined {
  let at: StartedRun = run
  for (let depth = 0; depth < deepest; depth++) {
    if (at.metadata.labels?.[sourceLabel] !== undefined) return at
    const owner = controllerOfKind(at, caches.orchestrationRuns.kind)
    if (owner === undefined) return undefined
    const { namespace } = run.metadata
    const next = caches.orchestrationRuns.get(formatKey({ namespace, name: owner.name }))
    if (next === undefined || next.metadata.uid !== owner.uid) return undefined
    at = next
  }
  return undefined
}

/** The AgentRuns that triggers of the source started, and those of the steps of its OrchestrationRuns. */
export function agentRunsOf(caches: RunCaches, source: ImplementationSource): readonly AgentRun[] {
  const origins = new Set(startedBy(caches, source))
  return caches.agentRuns.list(source.metadata.namespace).filter((run) => {
    const origin = originOf(caches, run)
    return origin !== undefined && origins.has(origin)
  })
}

/** When the run was created, in milliseconds. */
export function createdAt({ metadata }: Pick<KubeObject, 'metadata'>): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0
}
