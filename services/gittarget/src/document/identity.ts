import { type KubeObject, parseApiVersion } from '@agents/kube'

/** Which object a manifest describes, whatever its file is called and in whatever version it is written. */
export interface ManifestIdentity {
  readonly group: string
  readonly kind: string
  /** Empty for objects of the cluster. */
  readonly namespace: string
  readonly name: string
}

/** Equal exactly for equal identities; no part can hold the separator, which YAML and Kubernetes both refuse. */
export const identityKey = ({ group, kind, namespace, name }: ManifestIdentity): string =>
  `${group}\0${kind}\0${namespace}\0${name}`

export const identityOf = ({ apiVersion, kind, metadata }: KubeObject): ManifestIdentity => ({
  group: parseApiVersion(apiVersion).group,
  kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
})
