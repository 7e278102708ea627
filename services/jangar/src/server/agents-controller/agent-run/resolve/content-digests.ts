import { type ConfigMap, ConfigMapKind, formatKey, isNotFound, type KubeClient } from '@agents/kube'
import { type DocumentDigests, digestOf } from '../../../../run-contract/document-digests.ts'
import type { CoreCaches } from '../../../caches/core-caches.ts'

/** The SHA-256 of each value of a ConfigMap, by key. Undefined if it does not exist. */
export type ContentDigests = (
  of: { readonly namespace: string | undefined; readonly name: string },
  signal: AbortSignal,
) => Promise<DocumentDigests | undefined>

export interface ContentDigestsPorts {
  readonly client: Pick<KubeClient, 'get'>
  readonly configMaps: Pick<CoreCaches['configMaps'], 'get'>
}

/** Caches hold keys without values, so a ConfigMap is read from the API server, once per version that the cache has. */
export function contentDigests({ client, configMaps }: ContentDigestsPorts): ContentDigests {
  // Keyed by the cached object, which every change replaces.
  const known = new WeakMap<ConfigMap, DocumentDigests>()
  return async (of, signal) => {
    const seen = configMaps.get(formatKey(of))
    const before = seen && known.get(seen)
    if (before !== undefined) return before
    const digests = await readDigests(client, of, signal)
    if (seen !== undefined && digests !== undefined) known.set(seen, digests)
    return digests
  }
}

/**
 * Reads each ConfigMap once, whatever happens to it meanwhile: what is compared with an approval is what the Job gets.
 */
export function readOnce(digestsOf: ContentDigests): ContentDigests {
  const read = new Map<string, ReturnType<ContentDigests>>()
  return (of, signal) => {
    const key = formatKey(of)
    const digests = read.get(key) ?? digestsOf(of, signal)
    read.set(key, digests)
    return digests
  }
}

async function readDigests(
  client: Pick<KubeClient, 'get'>,
  of: { readonly namespace: string | undefined; readonly name: string },
  signal: AbortSignal,
): Promise<DocumentDigests | undefined> {
  try {
    const { data = {}, binaryData = {} } = await client.get(ConfigMapKind, of, { signal })
    const texts = Object.entries(data).map(([key, text]) => [key, digestOf(text)] as const)
    const binaries = Object.entries(binaryData).map(
      ([key, base64]) => [key, digestOf(Buffer.from(base64, 'base64'))] as const,
    )
    return Object.fromEntries([...texts, ...binaries].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
