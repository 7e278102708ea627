import {
  type ConfigMap,
  ConfigMapKind,
  isNotFound,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  type Secret,
  SecretKind,
} from '@agents/kube'

export type Values = Readonly<Record<string, string>>

/** The current values and version of a Secret or ConfigMap. */
interface ReadObject {
  readonly values: Values
  readonly version: string
}

/** Reads Secrets and ConfigMaps on demand, without caching. Undefined if the object does not exist. */
export interface ObjectReader {
  secret(key: ObjectKey, signal: AbortSignal): Promise<ReadObject | undefined>
  configMap(key: ObjectKey, signal: AbortSignal): Promise<ReadObject | undefined>
}

export function objectReader(client: Pick<KubeClient, 'get'>): ObjectReader {
  const read = async <T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    signal: AbortSignal,
    valuesOf: (object: T) => Values,
  ): Promise<ReadObject | undefined> => {
    try {
      const object = await client.get(kind, key, { signal })
      const { uid = '', resourceVersion = '' } = object.metadata
      return { values: valuesOf(object), version: `${uid}/${resourceVersion}` }
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
  return {
    secret: (key, signal) => read(SecretKind, key, signal, decoded),
    configMap: (key, signal) =>
      read(ConfigMapKind, key, signal, ({ data }: ConfigMap) => data ?? {}),
  }
}

function decoded({ data = {} }: Secret): Values {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  )
}
