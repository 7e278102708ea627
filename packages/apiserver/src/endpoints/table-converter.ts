import type { KubeObject, ListMeta } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { MetaVersion } from './negotiate.ts'

export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** `Table` of meta.k8s.io. */
export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: `meta.k8s.io/${MetaVersion}`
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly object[]
  /** Some kinds have none instead of an empty list. */
  readonly rows: readonly object[] | null
}

/** Rows for people: `kubectl get`. `now` dates relative ages. */
export type TableConverter = (
  resource: Resource,
  objects: readonly KubeObject[],
  options: {
    readonly includeObject: IncludeObject
    readonly listMeta: ListMeta
    readonly version: MetaVersion
    readonly now: Date
  },
) => Table
