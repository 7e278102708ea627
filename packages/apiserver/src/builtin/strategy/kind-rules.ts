import type { FieldError } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Strategy } from '../../registry/strategy.ts'
import type { RequestContext } from '../../request/request-context.ts'
import type { Fields } from '../fields.ts'

/** A built-in object with access to its fields by name. */
export type BuiltinObject = KubeObject & Fields

export type KeptField =
  | 'labels'
  | 'annotations'
  | 'finalizers'
  | 'ownerReferences'
  | 'deletionTimestamp'

/** The rules of one built-in kind that do not follow from the generated tables. */
export interface KindRules {
  /** `metadata.generation` counts the changes of everything but metadata and status. */
  readonly generation?: true
  /** A create may set the status. */
  readonly keepsStatus?: true
  readonly allowCreateOnUpdate?: true
  /** An update must have a resourceVersion. */
  readonly requiresVersion?: true
  /** Errors of the change are reported before errors of the object. */
  readonly changeFirst?: true
  /** `validate` checks enum values itself instead of leaving them to the schema. */
  readonly checksEnums?: true
  /** The metadata that a write to the status does not change: some fields, or all that users set. */
  readonly statusKeeps?: 'metadata' | readonly KeptField[]
  readonly nameRule?: Strategy['nameRule']
  /** Paths that writes to the main resource do not change. If omitted, the status. */
  readonly resets?: readonly (readonly string[])[]
  /** Sets the fields of a new object that its creator cannot choose. The status has been reset before. */
  prepareForCreate?(object: BuiltinObject, context: RequestContext): void
  prepareForUpdate?(next: BuiltinObject, old: BuiltinObject, context: RequestContext): void
  validate?(object: BuiltinObject): FieldError[]
  /** Runs in addition to `validate`, which is for creates and updates. */
  validateCreate?(object: BuiltinObject): FieldError[]
  validateUpdate?(next: BuiltinObject, old: BuiltinObject): FieldError[]
  validateStatusUpdate?(next: BuiltinObject, old: BuiltinObject): FieldError[]
  warnings?(next: BuiltinObject, old: BuiltinObject | undefined): string[]
  /** Values for field selectors by path, in addition to name and namespace. */
  readonly selectable?: Readonly<Record<string, (object: BuiltinObject) => string>>
  readonly deletion?: Pick<
    Strategy,
    | 'gracefulDeletion'
    | 'prepareForDelete'
    | 'returnsDeleted'
    | 'defaultPropagation'
    | 'defaultPropagationWarning'
    | 'holdsDeletion'
  >
}
