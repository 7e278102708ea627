export { checkRules } from './cel/check-rules.ts'
export type { CompiledRules } from './cel/rules.ts'
export { compileRules } from './cel/rules.ts'
export type { DefinitionOptions } from './definition/check-definition.ts'
export { checkCustomResourceDefinition } from './definition/check-definition.ts'
export { checkCustomResourceDefinitionUpdate } from './definition/check-update.ts'
export { readDefinition } from './definition/read-definition.ts'
export type { FieldError, FieldErrorReason } from './field-error.ts'
export { formatFieldError } from './field-error.ts'
export { unrecognizedFormats } from './format/unrecognized-formats.ts'
export type { JsonObject } from './json-value.ts'
export { cloneJson, isJsonObject, ownValue, setOwnValue } from './json-value.ts'
export type {
  Defaulted,
  Field,
  Fields,
  ObjectValue,
  Optional,
  Typed,
  ValueOf,
} from './kind/build-schema.ts'
export {
  boolean,
  freeObject,
  freeValue,
  integer,
  intOrString,
  list,
  map,
  number,
  object,
  oneOfStrings,
  optional,
  string,
  timestamp,
  withDefault,
  withRules,
} from './kind/build-schema.ts'
export type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from './kind/custom-resource-definition.ts'
export { customResourceDefinition } from './kind/custom-resource-definition.ts'
export type { AnyKind, Kind, KindDeclaration, ObjectOf, PrinterColumn } from './kind/define-kind.ts'
export { defineKind } from './kind/define-kind.ts'
export { statusObject } from './kind/status-schema.ts'
export type { Json, Schema, ValidationRule } from './schema.ts'
export type { StructuralOptions } from './structural/check-structural.ts'
export { checkStructural } from './structural/check-structural.ts'
export type { CompiledSchema, PruneOptions, ValidateOptions } from './structural/compile.ts'
export { compileSchema } from './structural/compile.ts'
