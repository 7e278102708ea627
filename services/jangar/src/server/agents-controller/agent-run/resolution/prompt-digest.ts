import { createHash } from 'node:crypto'
import { ConfigMapKind, isNotFound, type KubeClient } from '@agents/kube'
import type { SystemPrompt } from './resolution.ts'

/** Says what the instructions of a run were without repeating them. Undefined when they are secret, or gone by now. */
export type PromptDigest = (
  prompt: SystemPrompt,
  namespace: string | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>

/**
 * What a reference leads to is read anew each time and kept nowhere: caches hold keys without values. Secrets are not read: more people
 * may look at runs than at Secrets, and the hash of a short text is as good as the text to whoever can guess it.
 */
export function promptDigest(client: Pick<KubeClient, 'get'>): PromptDigest {
  return async (prompt, namespace, signal) => {
    if (prompt.kind === 'inline') return prompt.hash
    const { kind, name, key } = prompt
    if (kind === 'Secret') return undefined
    try {
      const { data, binaryData } = await client.get(ConfigMapKind, { namespace, name }, { signal })
      const text = data?.[key]
      return text === undefined ? sha256Of(binaryData?.[key]) : sha256(text)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }
}

function sha256Of(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : sha256(Buffer.from(base64, 'base64'))
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
