import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'

/** Maintains `metadata.managedFields`. Returns new objects and does not change its arguments. */
export interface FieldManager {
  /**
   * For create, update and all patches except apply. `live` is the stored object in the served version, undefined on
   * create. Returns `next` with updated managedFields. The managedFields in `next` are what the client sent: an empty
   * list resets them.
   */
  onUpdate(change: FieldChange & { readonly next: KubeObject }): KubeObject
  /**
   * For server-side apply: merges `applied` into `live`, which is undefined if the object does not exist. Throws an
   * ApiError: a 409 with causes for conflicts, a 400 or 422 for a body that cannot be applied.
   */
  onApply(
    change: FieldChange & { readonly applied: KubeObject; readonly force: boolean },
  ): KubeObject
}

export interface FieldChange {
  readonly resource: Resource
  /** The strategy of the resource or subresource. Its `resetFields` are not recorded. */
  readonly strategy: Strategy
  /** Empty for the main resource. */
  readonly subresource: string
  readonly live: KubeObject | undefined
  readonly manager: string
  readonly now: Date
}
