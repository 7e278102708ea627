import type { KubeObject, ListMeta } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { MetaVersion } from './negotiate.ts'

export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** The kind `Table` of meta.k8s.io. */
export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: `meta.k8s.io/${MetaVersion}`
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly object[]
  /** Like upstream, null instead of an empty list for some kinds. */
  readonly rows: readonly object[] | null
}

/** Converts objects to the table of `kubectl get`. Ages are relative to `now`. */
export type TableConverter = (
  resource: Resource,
  objects: readonly KubeObject[],
  options: {
    readonly includeObject: IncludeObject
    readonly listMeta: ListMeta
    readonly version: MetaVersion
    readonly now: Date
    /** Whether the objects are Scales of the resource. */
    readonly isScale?: boolean
  },
) => Table
