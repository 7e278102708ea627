import { createHash } from 'node:crypto'
import type { KubeObject } from '@agents/kube'

/** The longest name that is also valid as the value of a label. */
const longest = 63

/**
 * The name of a child, always the same for the same attempt. The digest covers the uid, so that a run never meets the
 * children of an earlier run of its name.
 */
export function childNameOf(
  { metadata }: Pick<KubeObject, 'metadata'>,
  step: string,
  item: number | undefined,
  attempt: number,
): string {
  const parts = [metadata.name, step, ...(item === undefined ? [] : [item]), attempt]
  const digest = createHash('sha256')
    .update(JSON.stringify([metadata.uid, step, item ?? null, attempt]))
    .digest('hex')
    .slice(0, 8)
  const readable = parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
  return `${readable.slice(0, longest - digest.length - 1).replace(/-+$/, '')}-${digest}`
}
