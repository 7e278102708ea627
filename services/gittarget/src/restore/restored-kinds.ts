import { type KubeClient, parseApiVersion } from '@agents/kube'
import { isMap, type Json, type JsonMap } from '../document/json.ts'
import { type ResourceType, typeOf } from '../mirror/selection/resource-type.ts'
import type { StoredObject } from './read-stored-objects.ts'

/** A kind that the cluster serves, or will serve once its definition is restored. */
export interface RestoredKind extends ResourceType {
  /** Other words for the kind: singular and short names. */
  readonly names: readonly string[]
  readonly isServed: boolean
}

/** All kinds that the cluster serves, or that definitions among the objects define. */
export async function restoredKinds(
  stored: readonly StoredObject[],
  { client, signal }: { readonly client: KubeClient; readonly signal: AbortSignal },
): Promise<readonly RestoredKind[]> {
  const served = (await client.discovery.resources({ signal })).map((each) => ({
    ...typeOf(each),
    names: each.shortNames,
    isServed: true,
  }))
  const defined = stored
    .filter(({ identity }) => isDefinition(identity))
    .flatMap(({ value }) => definedKinds(value))
  return [...served, ...defined]
}

export function isDefinition({ group, kind }: { group: string; kind: string }): boolean {
  return group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition'
}

/** The kind of an object in its version. The cluster's own view comes before that of a definition in Git. */
export function kindOf(
  { value, identity }: Pick<StoredObject, 'value' | 'identity'>,
  kinds: readonly RestoredKind[],
): RestoredKind | undefined {
  const { version } = parseApiVersion(String(value.apiVersion))
  return kinds.find(
    (each) =>
      each.group === identity.group && each.kind === identity.kind && each.version === version,
  )
}

function definedKinds({ spec }: JsonMap): RestoredKind[] {
  if (!isMap(spec) || !isMap(spec.names) || !Array.isArray(spec.versions)) return []
  const { group, names, scope, versions } = spec
  const { plural, kind, singular, shortNames } = names
  if (typeof group !== 'string' || typeof plural !== 'string' || typeof kind !== 'string') return []
  const others = [singular, ...(Array.isArray(shortNames) ? shortNames : [])]
  return (versions as readonly Json[]).flatMap((each) => {
    if (!isMap(each) || typeof each.name !== 'string' || each.served === false) return []
    const type = { group, version: each.name, resource: plural, kind }
    const words = others.filter((word) => typeof word === 'string')
    return [{ ...type, namespaced: scope === 'Namespaced', names: words, isServed: false }]
  })
}
