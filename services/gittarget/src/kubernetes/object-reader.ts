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

/** The values of a Secret or ConfigMap as they are now, and which version of it they are; undefined when there is none. */
export interface ReadObject {
  readonly values: Values
  readonly version: string
}

/** Reads what is referred to at the moment when it is needed; nothing of it is kept. */
export interface ObjectReader {
  secret(key: ObjectKey, signal: AbortSignal): Promise<ReadObject | undefined>
  configMap(key: ObjectKey, signal: AbortSignal): Promise<ReadObject | undefined>
}

export const objectReader = (client: Pick<KubeClient, 'get'>): ObjectReader => {
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

const decoded = ({ data = {} }: Secret): Values =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  )
