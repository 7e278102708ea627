import type { GitTarget } from '@agents/gittarget-api'
import type { ResourceType } from '../mirror/selection/resource-type.ts'
import { isSecret } from '../mirror/selection/resource-type.ts'
import type { StoredObject } from './read-stored-objects.ts'

/**
 * The namespace that an object is restored to, or why it is not restored. A target without `allowClusterRules` mirrors
 * its own namespace alone. Whoever may write to its repository must not get the caller to write anywhere else.
 */
export function placeOf(
  { identity, impliedNamespaces }: Pick<StoredObject, 'identity' | 'impliedNamespaces'>,
  kind: ResourceType,
  { metadata, spec }: GitTarget,
): { readonly namespace: string } | { readonly reason: string } {
  const own = metadata.namespace ?? ''
  if (!kind.namespaced) {
    if (identity.namespace !== '') return { reason: 'its kind has no namespace, but the file has' }
    return spec.allowClusterRules === true ? { namespace: '' } : outside(own)
  }
  const namespace = identity.namespace || impliedBy(impliedNamespaces, own)
  if (namespace === undefined) return { reason: 'the file has no namespace' }
  if (namespace !== own && spec.allowClusterRules !== true) return outside(own)
  if (namespace === own && isSecret(kind) && keysOf(spec).includes(identity.name)) {
    return { reason: 'it is a key of the mirror, which is never mirrored' }
  }
  return { namespace }
}

/** A kustomization implies one namespace. Of several folders, only that of the target itself is beyond doubt. */
function impliedBy(implied: readonly string[], own: string): string | undefined {
  return implied.includes(own) ? own : implied.length === 1 ? implied[0] : undefined
}

function outside(own: string) {
  return {
    reason: `it is not in namespace ${own}, and the target does not set allowClusterRules`,
  }
}

function keysOf({ encryption }: GitTarget['spec']): (string | undefined)[] {
  return [encryption?.secretRef?.name, encryption?.fingerprintRef?.name]
}
