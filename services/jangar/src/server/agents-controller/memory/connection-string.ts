import type { Memory } from '@agents/jangar-api'
import { formatKey, isNotFound, type KubeClient, type Secret, SecretKind } from '@agents/kube'

/** The keys that are tried if the spec specifies none. */
const usualKeys = ['url', 'uri', 'connectionString', 'connection-string', 'dsn']

/**
 * Reads the connection string from the API server. It is never cached. Undefined if the Secret or the key does not
 * exist.
 */
export async function readConnectionString(
  client: KubeClient,
  { metadata, spec }: Memory,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name, key } = spec.connection.secretRef
  try {
    const secret = await client.get(SecretKind, { namespace: metadata.namespace, name }, { signal })
    const value = secret.data?.[key ?? connectionKey(secret) ?? '']
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** The key if the spec names none. Falls back to the only key of a Secret that has exactly one. */
export function connectionKey({ data = {} }: Secret): string | undefined {
  const keys = Object.keys(data)
  return usualKeys.find((key) => keys.includes(key)) ?? (keys.length === 1 ? keys[0] : undefined)
}

export function secretOf({ metadata, spec }: Memory): string {
  return formatKey({ namespace: metadata.namespace, name: spec.connection.secretRef.name })
}
