import type { FieldError, Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { RequestContext } from '../rest/request-context.ts'
import type { Entry } from '../store/store.ts'
import type { Subresource } from './subresource.ts'

/** One resource in one version, as it is served: `/apis/<group>/<version>/<plural>`. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  /** The kind that an Invalid names, where it is not this one. */
  readonly refusedAs?: { readonly group: string; readonly kind: string }
  readonly namespaced: boolean
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  /** As discovery lists them; a verb that is missing answers 405. */
  readonly verbs: readonly string[]
  /** `/<group or core>/<resource>/`; all versions of one resource share it. */
  readonly storagePrefix: string
  readonly schema: Schema
  readonly isCustom: boolean
  readonly subresources: ReadonlyMap<string, Subresource>
  readonly strategy: Strategy
  /** Printer columns of a custom resource. Built-ins have printers of their own. */
  readonly columns: readonly TableColumn[] | undefined
  /** Hash that discovery publishes for the storage version. */
  readonly storageVersionHash?: string
  readonly deprecated?: { readonly warning: string }
  /** Its definition is being deleted: objects may go, none may come. */
  readonly isTerminating?: boolean
  /** `undefined` when the field cannot be selected on (400); `metadata.name` and `metadata.namespace` never get here. */
  selectableField?(object: KubeObject, path: string): string | undefined
  readonly selectableFields?: readonly string[]
  /** How a selector on any other field is refused. */
  unknownFieldMessage?(path: string): string

  /**
   * The stored entry as this version shows it: the same entry when nothing differs, so that its cached bytes are served.
   * Absent when stored and served form are one.
   */
  readonly fromStorage?: (entry: Entry) => Entry
  /** What is written for an object of this version. Must not mutate its argument. */
  readonly toStorage?: (object: KubeObject) => KubeObject

  /** To be awaited before the strategy is asked about a write. */
  readonly beforeWrite?: () => Promise<void>

  /** A resource without storage (access reviews): create answers with what this returns. */
  readonly createVirtual?: (
    object: KubeObject,
    context: RequestContext,
  ) => KubeObject | Promise<KubeObject>
}

export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

/** How a body becomes an object of a kind. */
export interface Decoding {
  /** Removes fields that the schema does not know, in place; returns their paths (`spec.foo`) in the order found. */
  prune(object: KubeObject): string[]
  /** `prune` does so for `metadata`, too; what is missing or wrong there is its business. */
  readonly shapesMetadata?: true
  /** Fills in defaults, in place. Runs after decoding and before admission. */
  setDefaults(object: KubeObject): void
}

/** What is particular to one kind in the life of its objects. All functions are synchronous: they run inside the store's write. */
export interface Strategy extends Decoding {
  /** Mutates a new object: generation, status reset, allocated fields. Names and system metadata are done by the caller. */
  prepareForCreate(object: KubeObject, context: RequestContext): void
  /** Mutates `next`, but not what lies below its fields once they are those of `old`: the two share it. */
  prepareForUpdate(next: KubeObject, old: KubeObject, context: RequestContext): void
  /** Object metadata is validated by the caller. */
  validate(object: KubeObject, context: RequestContext): FieldError[]
  validateUpdate(next: KubeObject, old: KubeObject, context: RequestContext): FieldError[]
  warnings?(next: KubeObject, old: KubeObject | undefined): string[]
  /** May an update leave out `metadata.resourceVersion`? */
  readonly allowUnconditionalUpdate: boolean
  /** May PUT create the object? */
  readonly allowCreateOnUpdate: boolean
  /** Fields that a write through this strategy never changes; server-side apply does not record them. `['spec']`. */
  readonly resetFields?: readonly (readonly string[])[]
  /** Messages when `name` is not allowed; DNS subdomain rules when absent. `prefix`: it is a generateName. */
  nameRule?(name: string, prefix: boolean): string[]
  /** Seconds to wait before the object may go; 0 or absent deletes at once. */
  gracefulDeletion?(object: KubeObject, gracePeriodSeconds: number | undefined): number
  /** Throws when the object may not be deleted; may set finalizers and the like on a deletion that does not remove it yet. */
  prepareForDelete?(object: KubeObject, context: RequestContext): void
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** Garbage collection policy when the request names none. Background when absent. */
  readonly defaultPropagation?: 'Orphan' | 'Background'
  /** What whoever relies on that default is told. */
  readonly defaultPropagationWarning?: string
  /** Does something beyond `metadata.finalizers` keep a deleted object (a namespace's `spec.finalizers`)? */
  holdsDeletion?(object: KubeObject): boolean
}
