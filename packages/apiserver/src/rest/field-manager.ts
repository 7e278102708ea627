import type { KubeObject } from '@agents/kube'
import type { Resource, Strategy } from '../registry/resource.ts'

/** Keeps `metadata.managedFields`. Results are new objects; arguments stay as they are. */
export interface FieldManager {
  /**
   * Create, update and the patches other than apply. `live` is the stored object in the served version, undefined on
   * create. Returns `next` with its managedFields computed. What `next` carries in managedFields is the client's wish: an
   * empty list resets them.
   */
  onUpdate(change: FieldChange & { readonly next: KubeObject }): KubeObject
  /**
   * Server-side apply: merges `applied` into `live` (undefined: there is no object yet). Throws an ApiError: 409 with causes
   * for conflicts, 400/422 for a body that cannot be applied.
   */
  onApply(
    change: FieldChange & { readonly applied: KubeObject; readonly force: boolean },
  ): KubeObject
}

export interface FieldChange {
  readonly resource: Resource
  /** The strategy of the (sub)resource written to: its `resetFields` are not recorded. */
  readonly strategy: Strategy
  /** Empty for the main resource. */
  readonly subresource: string
  readonly live: KubeObject | undefined
  readonly manager: string
  readonly now: Date
}
