import { createHash } from 'node:crypto'
import type { KubeObject } from '@agents/kube'

const longest = 63

/** The name of a request, always the same for the same run, policy and digest, and never that of another run. */
export function requestName(
  { kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>,
  policy: string,
  digest: string,
): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([kind, metadata.uid, policy, digest]))
    .digest('hex')
    .slice(0, 10)
  const readable = metadata.name.slice(0, longest - hash.length - 1).replace(/[-.]+$/, '')
  return `${readable}-${hash}`
}
