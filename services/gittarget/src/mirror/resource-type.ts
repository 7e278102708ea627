import type { KindRef, ServedResource } from '@agents/kube'

/** A type of object that can be mirrored, in the version in which it is. */
export interface ResourceType {
  readonly group: string
  readonly version: string
  /** Plural, as in URLs. */
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
}

/** `deployments.apps`, or `configmaps` for the core group. */
export const typeName = ({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`

export const typeOf = ({
  group,
  version,
  resource,
  kind,
  namespaced,
}: ServedResource): ResourceType => ({ group, version, resource, kind, namespaced })

export const kindRefOf = ({ resource, ...type }: ResourceType): KindRef => ({
  ...type,
  plural: resource,
})

/** Their values are written encrypted, or not at all. */
export const isSecret = ({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): boolean =>
  group === '' && resource === 'secrets'
