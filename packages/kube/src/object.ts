/** The part of `metadata` that the platform reads and writes. Times are RFC 3339 strings, as on the wire. */
interface ObjectMeta {
  name: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: ManagedFieldsEntry[]
}

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: Record<string, unknown>
  subresource?: string
}

/** Any object of the Kubernetes API. Kinds refine `spec` and `status`. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec?: unknown
  status?: unknown
}

export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string
  kind: string
  metadata: ListMeta
  items: T[]
}
