import type { FieldError, Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Definition } from './definition.ts'

/** What the schema language knows: checks of definitions, and of objects against a schema. */
export interface DefinitionRules {
  /** To be awaited before anything else is asked, where it is there. */
  load?(): Promise<void>
  check(definition: Definition): FieldError[]
  checkUpdate(next: Definition, old: Definition): FieldError[]
  warnings?(next: Definition, old: Definition | undefined): string[]
  compile(schema: Schema): CustomSchema
}

/** A schema made ready for many objects. */
export interface CustomSchema {
  /** Drops unknown fields in place; returns their paths. */
  prune(object: KubeObject): string[]
  /** Fills in defaults in place. */
  setDefaults(object: KubeObject): void
  /** Schema, embedded metadata, list types, then rules. */
  validate(object: KubeObject): FieldError[]
  /** The same with ratcheting: what was wrong before and has not changed is let through. */
  validateUpdate(next: KubeObject, old: KubeObject): FieldError[]
  /** Only `status` has changed. */
  validateStatusUpdate(next: KubeObject, old: KubeObject): FieldError[]
}
