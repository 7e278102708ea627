import type { CompiledRules, FieldError, Json, Schema } from '@agents/crd'
import {
  checkCustomResourceDefinition,
  checkCustomResourceDefinitionUpdate,
  checkRules,
  checkWorkLimit,
  compileRules,
  compileSchema,
  unrecognizedFormats,
} from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { Definition } from './definition.ts'
import type { CustomSchema, DefinitionRules } from './definition-rules.ts'

/** The rules of structural schemas and CEL. */
export const schemaDefinitionRules: DefinitionRules = {
  check: (definition) => checkCustomResourceDefinition(definition, { checkRules }),
  checkUpdate: (next, old) => checkCustomResourceDefinitionUpdate(old, next, { checkRules }),
  warnings: (next, old) => {
    const before = new Set(old === undefined ? [] : formatsOf(old))
    return formatsOf(next)
      .filter((format) => !before.has(format))
      .map((format) => `unrecognized format ${JSON.stringify(format)}`)
  },
  compile: customSchema,
}

function formatsOf({ spec }: Definition): string[] {
  return spec.versions.flatMap(({ schema }) =>
    schema?.openAPIV3Schema === undefined ? [] : unrecognizedFormats(schema.openAPIV3Schema),
  )
}

/** Compiles a schema on first use, since most kinds of a cluster are never used. */
function customSchema(schema: Schema): CustomSchema {
  let ready: CustomSchema | undefined
  const compiled = (): CustomSchema => {
    if (ready === undefined) {
      checkWorkLimit(8 * countValues(schema))
      ready = compiledSchema(schema)
    }
    return ready
  }
  return {
    prune: (object) => compiled().prune(object),
    setDefaults: (object) => compiled().setDefaults(object),
    validate: (object) => compiled().validate(object),
    validateUpdate: (next, old) => compiled().validateUpdate(next, old),
    validateStatusUpdate: (next, old) => compiled().validateStatusUpdate(next, old),
  }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const part of Object.values(value)) count += countValues(part)
  return count
}

function compiledSchema(schema: Schema): CustomSchema {
  const compiled = compileSchema(schema)
  const rules = compileRules(schema)
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

/** Rules rely on the schema, so they are not evaluated for an object that violates it. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

function withRules(
  errors: FieldError[],
  rules: CompiledRules | undefined,
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
