import { parse } from 'yaml'
import { usageFailure } from '../cli/command-failure.ts'

export type ObjectKind = 'secret' | 'configmap'

/** A Secret or ConfigMap that pods are to be restarted for. */
export interface ListedObject {
  readonly kind: ObjectKind
  readonly name: string
  /** Only these count; all where there are none. */
  readonly keys: readonly string[]
}

/** What `rolloutChecksums` of a values file lists, so that the list is kept in one place. */
export function readChecksumList(text: string, origin: string): ListedObject[] {
  const values = (parse(text) ?? {}) as { rolloutChecksums?: Record<string, unknown> }
  const { secrets = [], configMaps = [] } = values.rolloutChecksums ?? {}
  return [
    ...entries('secret', secrets, `${origin}: rolloutChecksums.secrets`),
    ...entries('configmap', configMaps, `${origin}: rolloutChecksums.configMaps`),
  ]
}

function entries(kind: ObjectKind, listed: unknown, place: string): ListedObject[] {
  if (!Array.isArray(listed)) throw usageFailure(`${place} must be a list`)
  return listed.map((entry: unknown) => {
    const { name, keys = [] } = (typeof entry === 'string' ? { name: entry } : entry) as {
      name?: unknown
      keys?: unknown
    }
    if (typeof name !== 'string' || !Array.isArray(keys)) {
      throw usageFailure(`${place} has an entry that is neither a name nor {name, keys}`)
    }
    return { kind, name, keys: keys.map(String) }
  })
}
