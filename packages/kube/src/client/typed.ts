import { formatApiVersion } from '../group-version.ts'
import type { KindRef } from '../kind/kind-ref.ts'

/** The object with apiVersion and kind filled in, unless it has them. */
export function typed(kind: KindRef, object: object): object {
  return { apiVersion: formatApiVersion(kind), kind: kind.kind, ...object }
}
