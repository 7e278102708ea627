import { formatKey } from '@agents/kube'
import type { AgentsCaches } from './agents-caches.ts'

/** A key of a Secret or ConfigMap in the namespace of the object that names it. */
export interface KeyReference {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly name: string
  /** Absent: the object as a whole. */
  readonly key?: string | undefined
}

export interface MissingKey {
  readonly reason:
    | 'SecretNotFound'
    | 'SecretKeyMissing'
    | 'ConfigMapNotFound'
    | 'ConfigMapKeyMissing'
  /** What is missing, and what to do. */
  readonly message: string
}

/** Why a reference leads nowhere; undefined when it leads to something. */
export function missingKey(
  caches: Pick<AgentsCaches, 'secrets' | 'configMaps'>,
  namespace: string | undefined,
  { kind, name, key }: KeyReference,
): MissingKey | undefined {
  const id = formatKey({ namespace, name })
  const keys = kind === 'Secret' ? keysOfSecret(caches, id) : keysOfConfigMap(caches, id)
  if (!keys) {
    return { reason: `${kind}NotFound`, message: `${kind} ${name} does not exist; create it` }
  }
  if (key === undefined || keys.includes(key)) return undefined
  return {
    reason: `${kind}KeyMissing`,
    message: `${kind} ${name} has no key ${key}; add it, or name another`,
  }
}

function keysOfSecret({ secrets }: Pick<AgentsCaches, 'secrets'>, id: string) {
  const secret = secrets.get(id)
  return secret && Object.keys(secret.data ?? {})
}

function keysOfConfigMap({ configMaps }: Pick<AgentsCaches, 'configMaps'>, id: string) {
  const configMap = configMaps.get(id)
  if (!configMap) return undefined
  return [...Object.keys(configMap.data ?? {}), ...Object.keys(configMap.binaryData ?? {})]
}
