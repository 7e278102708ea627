import { formatApiVersion } from '../group-version.ts'
import type { KindRef } from '../kind/kind-ref.ts'

/** The object with the apiVersion and kind that follow from its kind, unless it says them itself. */
export function typed(kind: KindRef, object: object): object {
  return { apiVersion: formatApiVersion(kind), kind: kind.kind, ...object }
}
