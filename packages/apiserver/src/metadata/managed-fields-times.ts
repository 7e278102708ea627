import { type KubeObject, type ManagedFieldsEntry, sameJson } from '@agents/kube'

/**
 * Keeps the old times of managedFields if nothing else has changed, so that an update without effect is not written.
 */
export function keepUnchangedTimestamps(next: KubeObject, old: KubeObject): void {
  const fresh = next.metadata.managedFields
  const known = old.metadata.managedFields
  if (fresh === undefined || known === undefined || fresh.length !== known.length) return
  if (sameJson(fresh, known)) return
  if (!sameJson(fresh.map(withoutTime), known.map(withoutTime))) return
  const { managedFields: _next, ...nextRest } = next.metadata
  const { managedFields: _old, ...oldRest } = old.metadata
  if (!sameJson(nextRest, oldRest) || !sameJson(contentOf(next), contentOf(old))) return
  next.metadata.managedFields = known
}

function withoutTime({ time: _time, ...entry }: ManagedFieldsEntry): object {
  return entry
}

function contentOf({ metadata: _metadata, ...content }: KubeObject): object {
  return content
}
