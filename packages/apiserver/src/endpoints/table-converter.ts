import type { KubeObject, ListMeta } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'

export type IncludeObject = 'None' | 'Metadata' | 'Object'

/** meta.k8s.io/v1 Table. */
export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly object[]
  readonly rows: readonly object[]
}

/** Rows for people: `kubectl get`. `now` dates relative ages. */
export type TableConverter = (
  resource: Resource,
  objects: readonly KubeObject[],
  options: {
    readonly includeObject: IncludeObject
    readonly listMeta: ListMeta
    readonly now: Date
  },
) => Table
