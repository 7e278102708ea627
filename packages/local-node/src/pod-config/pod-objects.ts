import {
  type ConfigMap,
  ConfigMapKind,
  isNotFound,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type PersistentVolumeClaim,
  PersistentVolumeClaimKind,
  type Secret,
  SecretKind,
} from '@agents/kube'

/** Objects that pods refer to. They are read on demand: a node caches no Secrets. */
export interface PodObjects {
  configMap(name: string): Promise<ConfigMap | undefined>
  secret(name: string): Promise<Secret | undefined>
  claim(name: string): Promise<PersistentVolumeClaim | undefined>
  /** A token of the pod's service account, bound to the pod. */
  token(options: { audience?: string; expirationSeconds?: number }): Promise<string>
}

interface PodIdentity {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly serviceAccount: string
}

/** Reads each object once, however many containers and volumes use it. */
export function podObjects(client: KubeClient, pod: PodIdentity, signal: AbortSignal): PodObjects {
  const known = new Map<string, Promise<KubeObject | undefined>>()
  const read = <T extends KubeObject>(kind: KindRef<T>, name: string): Promise<T | undefined> => {
    const key = `${kind.plural}/${name}`
    const requested = known.get(key) ?? get(kind, name)
    known.set(key, requested)
    return requested as Promise<T | undefined>
  }
  const get = async <T extends KubeObject>(kind: KindRef<T>, name: string) => {
    try {
      return await client.get(kind, { namespace: pod.namespace, name }, { signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
  return {
    configMap: (name) => read(ConfigMapKind, name),
    secret: (name) => read(SecretKind, name),
    claim: (name) => read(PersistentVolumeClaimKind, name),
    token: async ({ audience, expirationSeconds }) => {
      const { namespace, name, uid, serviceAccount } = pod
      const { token } = await client.createToken(
        { namespace, name: serviceAccount },
        {
          audiences: audience === undefined ? undefined : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
          signal,
        },
      )
      return token
    },
  }
}
