import { parseConfig } from '@agents/config'
import type { ResourceCache } from '@agents/controller'
import type { AgentRun, SecretBinding } from '@agents/jangar-api'
import { formatKey, type Indexer, type KubeObject } from '@agents/kube'
import { agentsController } from '../../../../../config/agents-controller.ts'
import { runner } from '../../../../../config/runner.ts'
import type { AgentsCaches } from '../../../../caches/agents-caches.ts'
import { secretBindingIndexers } from '../../../../primitives-policy/secret-bindings.ts'
import type { ResolutionPorts } from '../resolution.ts'
import { runIndexers } from '../run-indexers.ts'

type Loose = Readonly<Record<string, unknown>>

/** An object in the namespace `team`, ready unless `rest` overrides its status. */
export function objectOf(kind: string, name: string, spec: Loose, rest: Loose = {}): KubeObject {
  const { metadata, ...others } = rest
  return {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind,
    metadata: { name, namespace: 'team', uid: `uid-of-${name}`, ...(metadata as Loose) },
    spec,
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }] },
    ...others,
  } as KubeObject
}

/** An object as caches hold it: with the names of its keys but no values. */
export function keys(kind: 'Secret' | 'ConfigMap', name: string, ...names: string[]): KubeObject {
  const data = Object.fromEntries(names.map((key) => [key, '']))
  return { apiVersion: 'v1', kind, metadata: { name, namespace: 'team' }, data } as KubeObject
}

/** A run of the agent `coder` with an inline implementation. */
export function runOf(spec: Loose = {}, rest: Loose = {}): AgentRun {
  const whole = {
    agentRef: { name: 'coder' },
    implementation: { inline: { text: 'Do it.', summary: 'It' } },
    runtime: { type: 'job' },
    ...spec,
  }
  return objectOf('AgentRun', 'r', whole, { status: {}, ...rest }) as AgentRun
}

export const coder = objectOf('Agent', 'coder', { providerRef: { name: 'codex' } })
export const codex = objectOf('AgentProvider', 'codex', { binary: 'agent-runner' })

/**
 * Ports whose caches contain the objects; later objects replace earlier ones of the same name. `env` overrides the
 * platform's settings.
 */
export function portsWith(
  objects: readonly KubeObject[],
  env: Record<string, string> = {},
): ResolutionPorts {
  const all = [coder, codex, ...objects]
  const image = { JANGAR_AGENT_RUNNER_IMAGE: 'registry.example.com/agents/runner:1' }
  return {
    isPlatformAccount: (namespace, name) => namespace === 'team' && name === 'agents-controllers',
    config: parseConfig({ agents: agentsController, runner }, { ...image, ...env }),
    caches: {
      agents: memoryCache(all, 'Agent'),
      agentProviders: memoryCache(all, 'AgentProvider'),
      agentRuns: memoryCache<AgentRun>(all, 'AgentRun', runIndexers),
      implementationSpecs: memoryCache(all, 'ImplementationSpec'),
      versionControlProviders: memoryCache(all, 'VersionControlProvider'),
      memories: memoryCache(all, 'Memory'),
      secretBindings: memoryCache<SecretBinding>(all, 'SecretBinding', secretBindingIndexers),
      workspaces: memoryCache(all, 'Workspace'),
      secrets: memoryCache(all, 'Secret'),
      configMaps: memoryCache(all, 'ConfigMap'),
    },
  }
}

/** A run cache that never calls its subscribers. */
export const unheard: Pick<AgentsCaches['agentRuns'], 'subscribe'> = {
  subscribe: () => ({ hasSynced: () => true, remove: () => undefined }),
}

/** The subset of a cache that resolving uses. */
function memoryCache<T extends KubeObject>(
  all: readonly KubeObject[],
  kind: string,
  indexers: Readonly<Record<string, Indexer<T>>> = {},
): ResourceCache<T> {
  const ours = all.filter((object): object is T => object.kind === kind)
  const objects = new Map(ours.map((object) => [formatKey(object.metadata), object]))
  return {
    kind: { kind },
    get: (key: string) => objects.get(key),
    list: () => [...objects.values()],
    byIndex: (index: string, value: string) =>
      [...objects.values()].filter((object) => indexers[index]?.(object).includes(value)),
  } as unknown as ResourceCache<T>
}

/** The agent `coder` with additional fields. */
export function agent(spec: Record<string, unknown>) {
  return objectOf('Agent', 'coder', { providerRef: { name: 'codex' }, ...spec })
}

export function workflow(...steps: Record<string, unknown>[]) {
  return {
    runtime: { type: 'workflow' },
    workflow: { steps },
  }
}

/** The status of an object that is not ready. */
export const unready = {
  status: {
    conditions: [{ type: 'Ready', status: 'False', reason: 'X', message: 'it is broken' }],
  },
}
/** An inline implementation whose contract requires the keys. */
export function contract(requiredKeys: string[], mappings?: { from: string; to: string }[]) {
  return {
    implementation: { inline: { text: 'Do it.', contract: { requiredKeys, mappings } } },
  }
}
