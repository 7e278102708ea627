import type { FieldError, Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Definition } from './definition.ts'

/** Validates definitions, and compiles their schemas to validate objects. */
export interface DefinitionRules {
  /** If present, must be awaited before any other function is called. */
  load?(): Promise<void>
  check(definition: Definition): FieldError[]
  checkUpdate(next: Definition, old: Definition): FieldError[]
  warnings?(next: Definition, old: Definition | undefined): string[]
  compile(schema: Schema): CustomSchema
}

/** A compiled schema. */
export interface CustomSchema {
  /** Removes unknown fields in place and returns their paths. */
  prune(object: KubeObject): string[]
  /** Sets defaults in place. */
  setDefaults(object: KubeObject): void
  /** Validates schema, embedded metadata, list types, and then rules. */
  validate(object: KubeObject): FieldError[]
  /** Like `validate`, with ratcheting: errors of unchanged values are ignored. */
  validateUpdate(next: KubeObject, old: KubeObject): FieldError[]
  /** For an update in which only `status` has changed. */
  validateStatusUpdate(next: KubeObject, old: KubeObject): FieldError[]
}
