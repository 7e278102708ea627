import type { KindRef, ServedResource } from '@agents/kube'

/** A resource type that can be mirrored, in a particular version. */
export interface ResourceType {
  readonly group: string
  readonly version: string
  /** Plural, as in URLs. */
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
}

/** `deployments.apps`, or `configmaps` for the core group. */
export function typeName({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`
}

export function typeOf({
  group,
  version,
  resource,
  kind,
  namespaced,
}: ServedResource): ResourceType {
  return { group, version, resource, kind, namespaced }
}

export function kindRefOf({ resource, ...type }: ResourceType): KindRef {
  return {
    ...type,
    plural: resource,
  }
}

/** Values of Secrets are written encrypted, or not at all. */
export function isSecret({ group, resource }: Pick<ResourceType, 'group' | 'resource'>): boolean {
  return group === '' && resource === 'secrets'
}
