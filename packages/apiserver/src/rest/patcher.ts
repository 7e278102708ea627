import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'

/**
 * The patch formats. Each returns a new value without changing its arguments. Throws an ApiError for an invalid patch.
 */
export interface Patcher {
  /** RFC 6902 with upstream's limits and deviations. */
  json(object: KubeObject, operations: Json): Json
  /** RFC 7396. */
  merge(object: KubeObject, patch: Json): Json
  /** If omitted, strategic merge patches are not supported. Never called for custom resources. */
  strategic?(object: KubeObject, patch: Json, resource: Resource): Json
}
