import type { FieldError } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Strategy } from '../../registry/resource.ts'
import type { RequestContext } from '../../rest/request-context.ts'
import type { Fields } from '../fields.ts'

/** A built-in object whose fields are looked at one by one. */
export type BuiltinObject = KubeObject & Fields

/** What is particular to one built-in kind; the rest follows from the generated tables. */
export interface KindRules {
  /** `metadata.generation` counts the changes of everything but metadata and status. */
  readonly generation?: true
  /** A new object may bring its status. */
  readonly keepsStatus?: true
  readonly allowCreateOnUpdate?: true
  /** An update must name the version that it is based on. */
  readonly requiresVersion?: true
  /** What is wrong with the change is told before what is wrong with the object. */
  readonly changeFirst?: true
  /** A write to the status leaves the labels alone. */
  readonly statusKeepsLabels?: true
  readonly nameRule?: Strategy['nameRule']
  /** Fields of a new object that its creator does not decide. Status has been reset already. */
  prepareForCreate?(object: BuiltinObject, context: RequestContext): void
  prepareForUpdate?(next: BuiltinObject, old: BuiltinObject, context: RequestContext): void
  validate?(object: BuiltinObject): FieldError[]
  /** Beside `validate`, which runs for creates and updates. */
  validateCreate?(object: BuiltinObject): FieldError[]
  validateUpdate?(next: BuiltinObject, old: BuiltinObject): FieldError[]
  validateStatusUpdate?(next: BuiltinObject, old: BuiltinObject): FieldError[]
  warnings?(next: BuiltinObject, old: BuiltinObject | undefined): string[]
  /** Path → value for field selectors, beside name and namespace. */
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
