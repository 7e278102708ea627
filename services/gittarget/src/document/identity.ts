import { type KubeObject, parseApiVersion } from '@agents/kube'

/** Identifies the object that a manifest describes, whatever its file name and API version. */
export interface ManifestIdentity {
  readonly group: string
  readonly kind: string
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/**
 * A key that is equal for equal identities only: no part can contain the separator, which YAML and Kubernetes both
 * reject.
 */
export function identityKey({ group, kind, namespace, name }: ManifestIdentity): string {
  return `${group}\0${kind}\0${namespace}\0${name}`
}

export function identityOf({ apiVersion, kind, metadata }: KubeObject): ManifestIdentity {
  return {
    group: parseApiVersion(apiVersion).group,
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
  }
}
