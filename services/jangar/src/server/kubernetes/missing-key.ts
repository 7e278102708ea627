import type { ResourceCache } from '@agents/controller'
import { type ConfigMap, formatKey, type Secret } from '@agents/kube'

/** The objects that hold keys. */
export interface KeyCaches {
  readonly secrets: ResourceCache<Secret>
  readonly configMaps: ResourceCache<ConfigMap>
}

/** A key of a Secret or ConfigMap in the namespace of the object that refers to it. */
export interface KeyReference {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly name: string
  /** If omitted, the reference is to the object as a whole. */
  readonly key?: string | undefined
}

interface MissingKey {
  readonly reason:
    | 'SecretNotFound'
    | 'SecretKeyMissing'
    | 'ConfigMapNotFound'
    | 'ConfigMapKeyMissing'
  /** What is missing, and what to do. */
  readonly message: string
}

/** Why a reference cannot be resolved. Undefined if it can. */
export function missingKey(
  caches: KeyCaches,
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
    message: `${kind} ${name} has no key ${key}; add the key, or refer to another one`,
  }
}

function keysOfSecret({ secrets }: Pick<KeyCaches, 'secrets'>, id: string) {
  const secret = secrets.get(id)
  return secret && Object.keys(secret.data ?? {})
}

function keysOfConfigMap({ configMaps }: Pick<KeyCaches, 'configMaps'>, id: string) {
  const configMap = configMaps.get(id)
  if (!configMap) return undefined
  return [...Object.keys(configMap.data ?? {}), ...Object.keys(configMap.binaryData ?? {})]
}
