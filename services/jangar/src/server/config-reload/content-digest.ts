import { createHash } from 'node:crypto'
import type { KubeObject } from '@agents/kube'

/** The fields of Secrets and ConfigMaps that pods see. */
export interface Content extends KubeObject {
  data?: Record<string, string>
  binaryData?: Record<string, string>
}

/** Digest of the content without metadata. If `keys` is not empty, only those keys count. The content is not stored. */
export function contentDigest(
  { data = {}, binaryData = {} }: Content,
  keys: readonly string[],
): string {
  const counted = [data, binaryData].map((part) =>
    Object.entries(part)
      .filter(([key]) => keys.length === 0 || keys.includes(key))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  return createHash('sha256').update(JSON.stringify(counted)).digest('hex')
}
