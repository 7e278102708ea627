import type { GroupVersion } from '../group-version.ts'
import type { KubeObject } from '../object.ts'

declare const objectType: unique symbol

/** Where the objects of a kind are served. `T` is their type at compile time only. */
export interface KindRef<T extends KubeObject = KubeObject> extends GroupVersion {
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  readonly [objectType]?: T
}

/** The part of a kind's declaration, or of a CustomResourceDefinition, that a client needs. */
export interface DeclaredKind extends GroupVersion {
  readonly plural: string
  readonly kind: string
  readonly scope: 'Namespaced' | 'Cluster'
}

/** `kindRef<AgentRun>(agentRun)` */
export function kindRef<T extends KubeObject = KubeObject>(declared: DeclaredKind): KindRef<T> {
  const { group, version, plural, kind, scope } = declared
  return { group, version, plural, kind, namespaced: scope === 'Namespaced' }
}

/** Identifies an object of a kind; without a namespace if it is cluster-scoped. The metadata of an object is a key. */
export interface ObjectKey {
  readonly namespace?: string | undefined
  readonly name: string
}

/** `namespace/name`, or the name alone. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/')
  if (slash === -1) return { name: key }
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
