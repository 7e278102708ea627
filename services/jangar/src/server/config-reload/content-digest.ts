import { createHash } from 'node:crypto'
import type { KubeObject } from '@agents/kube'

/** The parts of Secrets and ConfigMaps that pods see. */
export interface Content extends KubeObject {
  data?: Record<string, string>
  binaryData?: Record<string, string>
}

/** The same for the same content, whatever the metadata. With keys only those count. The content itself is not kept. */
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
