import { appendAll } from '../append-all.ts'
import { compileDefaults } from '../defaulting/compile-defaults.ts'
import type { FieldError } from '../field-error.ts'
import { compilePattern, type Pattern } from '../format/pattern.ts'
import { compileScan } from '../pruning/compile-scan.ts'
import { prune } from '../pruning/prune.ts'
import type { Json, Schema } from '../schema.ts'
import { compileCheck } from '../validation/compile-check.ts'
import { checkEmbedded } from '../validation/embedded.ts'
import { distinctErrors } from '../validation/finding.ts'
import { checkListTypes } from '../validation/list-type.ts'
import { reportRatcheted } from '../validation/report.ts'
import { exceedsDepth, refuseTooDeep } from './nesting.ts'

export interface PruneOptions {
  /** Whether the value is a whole resource, whose type and metadata are none of the schema's business. Default false. */
  readonly isResourceRoot?: boolean
}

export interface ValidateOptions {
  /** The value before the update: what was invalid and did not change is tolerated. */
  readonly old?: Json
  /** Where the value sits in its object, prepended to the fields of errors: `status` for a write of the status. */
  readonly fieldPath?: string
}

/** A schema made ready for use: compile once, use for every object. */
export interface CompiledSchema {
  /** Drops unspecified fields in place; returns their paths, sorted, as `spec.list[0].bar`. */
  prune(value: Json, options?: PruneOptions): string[]
  /** Drops nulls that may not stay and fills in defaults, in place. */
  applyDefaults(value: Json): void
  /** Everything wrong with the value, in the API server's words; rules in CEL are not evaluated here. */
  validate(value: Json, options?: ValidateOptions): FieldError[]
}

/** Compiles a structural schema. Throws when it nests too deep, which `checkStructural` reports beforehand. */
export function compileSchema(schema: Schema): CompiledSchema {
  refuseTooDeep(schema)
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

/** Comparing old and new recurses; a hostile pair is simply not ratcheted. */
const COMPARED_DEPTH = 500

function explain(
  schema: Schema,
  value: Json,
  { old, fieldPath }: ValidateOptions & { fieldPath: string },
  pattern: (source: string) => Pattern | string,
): FieldError[] {
  const isComparable =
    old !== undefined && !exceedsDepth(value, COMPARED_DEPTH) && !exceedsDepth(old, COMPARED_DEPTH)
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
    const compiled = compileOrComplain(source)
    known.set(source, compiled)
    return compiled
  }
}

function compileOrComplain(source: string): Pattern | string {
  try {
    return compilePattern(source)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
