import type { FieldError } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { RequestContext } from '../request/request-context.ts'

/** How the body of a request is decoded to an object of a kind. */
export interface Decoding {
  /** Removes unknown fields in place and returns their paths (`spec.foo`) in the order found. */
  prune(object: KubeObject): string[]
  /** `prune` handles `metadata` too, including fields that are missing or have a wrong type. */
  readonly shapesMetadata?: true
  /** Fills in defaults, in place. Runs after decoding and before admission. */
  setDefaults(object: KubeObject): void
}

/**
 * The rules of one kind for writes to its objects. All functions are synchronous, since they run inside the store's
 * write.
 */
export interface Strategy extends Decoding {
  /**
   * Sets generation and allocated fields of a new object and resets its status. Names and system metadata are the
   * caller's.
   */
  prepareForCreate(object: KubeObject, context: RequestContext): void
  /** Mutates `next`, but nothing inside of fields that were copied from `old`, since both objects share them. */
  prepareForUpdate(next: KubeObject, old: KubeObject, context: RequestContext): void
  /** Object metadata is validated by the caller. */
  validate(object: KubeObject, context: RequestContext): FieldError[]
  validateUpdate(next: KubeObject, old: KubeObject, context: RequestContext): FieldError[]
  warnings?(next: KubeObject, old: KubeObject | undefined): string[]
  /** Whether `metadata.resourceVersion` can be omitted in an update. */
  readonly allowUnconditionalUpdate: boolean
  /** Whether PUT can create the object. */
  readonly allowCreateOnUpdate: boolean
  /** Paths, such as `['spec']`, that writes with this strategy never change; server-side apply does not record them. */
  readonly resetFields?: readonly (readonly string[])[]
  /**
   * Returns messages if `name` is invalid. `prefix`: it is a generateName. If omitted, names must be DNS subdomains.
   */
  nameRule?(name: string, prefix: boolean): string[]
  /** Grace period in seconds before the object is deleted; 0 deletes immediately. If omitted, defaults to 0. */
  gracefulDeletion?(object: KubeObject, gracePeriodSeconds: number | undefined): number
  /**
   * Throws if the object must not be deleted. May replace fields of the metadata and the status of an object that is
   * only marked as deleted, such as its finalizers; deeper parts belong to the stored object.
   */
  prepareForDelete?(object: KubeObject, context: RequestContext): void
  /** A delete returns the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** Propagation policy if the request has none. If omitted, defaults to Background. */
  readonly defaultPropagation?: 'Orphan' | 'Background'
  /** Warning for requests that rely on the default propagation policy. */
  readonly defaultPropagationWarning?: string
  /**
   * Whether something besides `metadata.finalizers` keeps a deleted object, such as a namespace's `spec.finalizers`.
   */
  holdsDeletion?(object: KubeObject): boolean
}
