import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'

/** The patch formats. Each returns a new value, leaves its arguments alone, and throws an ApiError for a bad patch. */
export interface Patcher {
  /** RFC 6902 with upstream's limits and leniency. */
  json(object: KubeObject, operations: Json): Json
  /** RFC 7396. */
  merge(object: KubeObject, patch: Json): Json
  /** Absent where strategic merge is not offered. Never asked for custom resources. */
  strategic?(object: KubeObject, patch: Json, resource: Resource): Json
}
