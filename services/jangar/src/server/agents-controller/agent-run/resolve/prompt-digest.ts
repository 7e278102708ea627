import { createHash } from 'node:crypto'
import { type ConfigMap, ConfigMapKind, formatKey, isNotFound, type KubeClient } from '@agents/kube'
import type { CoreCaches } from '../../../caches/core-caches.ts'
import type { SystemPrompt } from './resolution.ts'

/**
 * Returns the SHA-256 of a run's system prompt. Undefined if it is in a Secret, or if the referenced key does not
 * exist.
 */
export type PromptDigest = (
  prompt: SystemPrompt,
  namespace: string | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>

export interface PromptDigestPorts {
  readonly client: Pick<KubeClient, 'get'>
  readonly configMaps: Pick<CoreCaches['configMaps'], 'get'>
}

/**
 * Caches hold keys without values, so a referenced ConfigMap is read from the API server, once per version regardless
 * of how many runs use it. Secrets are not read: more users can read runs than Secrets, and the hash of a short text
 * reveals it to anyone who can guess it.
 */
export function promptDigest({ client, configMaps }: PromptDigestPorts): PromptDigest {
  // Keyed by the cached object, which every change replaces: digests of old versions are garbage-collected with it.
  const known = new WeakMap<ConfigMap, Map<string, string>>()
  return async (prompt, namespace, signal) => {
    if (prompt.kind === 'inline') return prompt.hash
    const { kind, name, key } = prompt
    if (kind === 'Secret') return undefined
    const seen = configMaps.get(formatKey({ namespace, name }))
    const before = seen && known.get(seen)?.get(key)
    if (before !== undefined) return before
    const digest = await readDigest(client, { namespace, name }, key, signal)
    if (seen === undefined || digest === undefined) return digest
    known.set(seen, (known.get(seen) ?? new Map()).set(key, digest))
    return digest
  }
}

async function readDigest(
  client: Pick<KubeClient, 'get'>,
  of: { readonly namespace: string | undefined; readonly name: string },
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { data, binaryData } = await client.get(ConfigMapKind, of, { signal })
    const text = data?.[key]
    return text === undefined ? sha256Of(binaryData?.[key]) : sha256(text)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function sha256Of(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : sha256(Buffer.from(base64, 'base64'))
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
