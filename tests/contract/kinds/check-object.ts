import { type AnyKind, compileRules, compileSchema, type FieldError, type Json } from '@agents/crd'

/** Processes an object as kube-apiserver does on a write: prune, default, validate, then evaluate the CEL rules. */
export function objectChecker(kind: AnyKind) {
  const schema = compileSchema(kind.schema)
  const rules = compileRules(kind.schema)
  return (given: Json, old?: Json): { object: Json; unknown: string[]; errors: FieldError[] } => {
    const object = structuredClone(given)
    const unknown = schema.prune(object, { isResourceRoot: true })
    schema.applyDefaults(object)
    const errors = [
      ...schema.validate(object, old === undefined ? {} : { old }),
      ...(rules?.validate(object, old) ?? []),
    ]
    return { object, unknown, errors }
  }
}
