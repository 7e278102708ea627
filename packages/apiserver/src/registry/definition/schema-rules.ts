import type { FieldError, Json, Schema } from '@agents/crd'
import {
  checkCustomResourceDefinition,
  checkCustomResourceDefinitionUpdate,
  compileSchema,
} from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { CustomSchema, DefinitionRules } from './definition-rules.ts'

/** The rules in CEL of a schema, made ready. */
export interface RuleSet {
  validate(value: Json, old?: Json): FieldError[]
}

/** The language of `x-kubernetes-validations`. */
export interface RuleLanguage {
  /** `undefined` for a schema without rules. */
  compile(schema: Schema): RuleSet | undefined
  /** What is wrong with the rules of a schema at `fieldPath`. */
  check(schema: Schema, fieldPath: string): FieldError[]
}

/** Structural schemas and, with `language`, their rules. */
export function schemaDefinitionRules(language?: RuleLanguage): DefinitionRules {
  const options = language === undefined ? {} : { checkRules: language.check }
  return {
    check: (definition) => checkCustomResourceDefinition(definition, options),
    checkUpdate: (next, old) => checkCustomResourceDefinitionUpdate(old, next, options),
    compile: (schema) => customSchema(schema, language?.compile(schema)),
  }
}

function customSchema(schema: Schema, rules: RuleSet | undefined): CustomSchema {
  const compiled = compileSchema(schema)
  const status = compileSchema(schema.properties?.status ?? anything)
  return {
    prune: (object) => compiled.prune(json(object), { isResourceRoot: true }),
    setDefaults: (object) => compiled.applyDefaults(json(object)),
    validate: (object) => withRules(compiled.validate(json(object)), rules, object, undefined),
    validateUpdate: (next, old) =>
      withRules(compiled.validate(json(next), { old: json(old) }), rules, next, old),
    validateStatusUpdate: (next, old) => {
      const before = old.status as Json | undefined
      const options = { fieldPath: 'status', ...(before === undefined ? {} : { old: before }) }
      const errors = next.status === undefined ? [] : status.validate(next.status as Json, options)
      return withRules(errors, rules, next, old)
    },
  }
}

const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

/** Rules may count on what the schema promises, so they are not asked about an object that breaks it. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

function withRules(
  errors: FieldError[],
  rules: RuleSet | undefined,
  next: KubeObject,
  old: KubeObject | undefined,
): FieldError[] {
  if (rules === undefined) return errors
  if (!errors.some(({ reason }) => blocking.has(reason))) {
    const found = rules.validate(json(next), old === undefined ? undefined : json(old))
    return found.length === 0 ? errors : [...errors, ...found]
  }
  return [
    ...errors,
    {
      reason: 'FieldValueInvalid',
      field: '<nil>',
      message:
        'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    },
  ]
}

function json(object: KubeObject): Json {
  return object as unknown as Json
}
