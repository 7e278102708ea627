import { appendAll } from '../append-all.ts'
import { compileDefaults } from '../defaulting/compile-defaults.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { compilePattern, type Pattern } from '../format/pattern.ts'
import { compileScan } from '../pruning/compile-scan.ts'
import { prune } from '../pruning/prune.ts'
import { assertSchemaDepth, exceedsDepth } from '../schema/nesting.ts'
import type { Json, Schema } from '../schema/schema.ts'
import { compileCheck } from '../validation/compile-check.ts'
import { checkEmbedded } from '../validation/embedded.ts'
import { distinctErrors } from '../validation/finding.ts'
import { checkListTypes } from '../validation/list-type.ts'
import { reportRatcheted } from '../validation/report.ts'
import { WorkLimitExceeded } from '../work-limit.ts'

interface PruneOptions {
  /** Whether the value is a whole resource, whose type and metadata the schema does not describe. Default false. */
  readonly isResourceRoot?: boolean
}

interface ValidateOptions {
  /** The value before the update. Errors in unchanged parts are tolerated. */
  readonly old?: Json
  /** The path of the value in its object, such as `status`. It is prepended to the fields of errors. */
  readonly fieldPath?: string
}

/** A compiled schema, which can be used for any number of objects. */
interface CompiledSchema {
  /** Drops unspecified fields in place. Returns their sorted paths, such as `spec.list[0].bar`. */
  prune(value: Json, options?: PruneOptions): string[]
  /** Drops nulls that are not allowed and sets defaults, in place. */
  applyDefaults(value: Json): void
  /** Validates the value. Returns errors worded as the API server does. CEL rules are not evaluated here. */
  validate(value: Json, options?: ValidateOptions): FieldError[]
}

/** Compiles a structural schema. Throws if it nests too deep, which `checkStructural` reports beforehand. */
export function compileSchema(schema: Schema): CompiledSchema {
  assertSchemaDepth(schema)
  const pattern = rememberPatterns()
  const mightDrop = compileScan(schema, false)
  const mightDropFromResource = compileScan(schema, true)
  const isSurelyValid = compileCheck(schema, { fieldPrefix: '', pattern })
  return {
    prune: (value, options) => {
      const isResourceRoot = options?.isResourceRoot === true
      const scan = isResourceRoot ? mightDropFromResource : mightDrop
      return scan(value) ? prune(schema, value, isResourceRoot) : []
    },
    applyDefaults: compileDefaults(schema),
    validate: (value, options) =>
      isSurelyValid(value) ? [] : explain(schema, value, { fieldPath: '', ...options }, pattern),
  }
}

/**
 * The depth up to which old and new values are compared, which is done recursively. Deeper values are not ratcheted.
 */
const maxComparedDepth = 500

function explain(
  schema: Schema,
  value: Json,
  { old, fieldPath }: ValidateOptions & { fieldPath: string },
  pattern: (source: string) => Pattern | string,
): FieldError[] {
  const isComparable =
    old !== undefined &&
    !exceedsDepth(value, maxComparedDepth) &&
    !exceedsDepth(old, maxComparedDepth)
  const correlation = isComparable ? { value, old, schema } : undefined
  const context = { fieldPrefix: fieldPath, pattern }
  const { findings } = reportRatcheted(schema, value, '', context, correlation)
  const errors = distinctErrors(findings)
  appendAll(errors, checkEmbedded(schema, value, fieldPath))
  const oldLists = old === undefined ? [] : checkListTypes(schema, old, fieldPath)
  if (oldLists.length === 0) appendAll(errors, checkListTypes(schema, value, fieldPath))
  return errors
}

function rememberPatterns(): (source: string) => Pattern | string {
  const known = new Map<string, Pattern | string>()
  return (source) => {
    const found = known.get(source)
    if (found !== undefined) return found
    const compiled = tryCompilePattern(source)
    known.set(source, compiled)
    return compiled
  }
}

function tryCompilePattern(source: string): Pattern | string {
  try {
    return compilePattern(source)
  } catch (error) {
    if (error instanceof WorkLimitExceeded) throw error
    return error instanceof Error ? error.message : String(error)
  }
}
