import {
  checkRules,
  checkStructural,
  compileRules,
  compileSchema,
  exceedsDepth,
  type FieldError,
  formatFieldError,
  type Json,
  limitWork,
  type Schema,
  WorkLimitExceeded,
} from '@agents/crd'
import { stringifyJson } from '@agents/kube'

/** Checks payloads of a Signal. */
interface PayloadCheck {
  /** What is wrong with a payload, with the path of the field. Contains no value of the payload. */
  problemOf(payload: Json | undefined): string | undefined
}

type PayloadCheckResult =
  | (PayloadCheck & { readonly ok: true })
  | { readonly ok: false; readonly message: string }

/** As large as the outputs of a step, which a payload becomes. */
const mostPayloadKiB = 16
const mostSchemaKiB = 64
const mostLevels = 100
const checkMs = 250
const longestMessage = 512
/** A tenth of what Kubernetes allows: many deliveries may come at once. */
const ruleBudget = 1_000_000

/** Compiles the schema of a Signal, which may have none. `mostMs` limits the check of one payload. */
export function compilePayloadCheck(schema: unknown, mostMs = checkMs): PayloadCheckResult {
  if (schema === undefined) return { ok: true, problemOf: sizeProblem }
  const problem = limited('spec.schema', checkMs, () => schemaProblem(schema))
  if (problem !== undefined) return { ok: false, message: problem }
  const inSpec = specSchema(schema as Schema)
  const compiled = compileSchema(inSpec)
  const rules = compileRules(inSpec, { resourceRoot: false })
  return {
    ok: true,
    problemOf: (payload) => {
      if (payload === undefined) return 'spec.payload is missing, and the Signal has a schema'
      const tooLarge = sizeProblem(payload)
      if (tooLarge !== undefined) return tooLarge
      return limited('spec.payload', mostMs, () => {
        const [error = rules?.validate({ payload }, undefined, inPath)[0]] = compiled.validate(
          { payload },
          { fieldPath: 'spec' },
        )
        return error && describe(error)
      })
    },
  }
}

const inPath = { path: 'spec', budget: ruleBudget }

const pathInSpec = 'spec.properties[payload]'

/** The schema of a spec with such a payload: errors have its path, and the payload may have any type. */
function specSchema(schema: Schema): Schema {
  return { type: 'object', properties: { payload: schema } }
}

function schemaProblem(schema: unknown): string | undefined {
  if (exceedsDepth(schema as Json, mostLevels - 1)) {
    return `spec.schema is nested deeper than ${mostLevels} levels`
  }
  if (bytesOf(schema) > mostSchemaKiB * 1024) {
    return `spec.schema has more than ${mostSchemaKiB} KiB`
  }
  const inSpec = specSchema(schema as Schema)
  const [error] = checkStructural(inSpec, { fieldPath: 'spec', checkRules })
  return error && shortened(formatFieldError(error).replace(pathInSpec, 'spec.schema'))
}

function sizeProblem(payload: Json | undefined): string | undefined {
  if (payload === undefined) return undefined
  if (exceedsDepth(payload, mostLevels - 1)) {
    return `spec.payload is nested deeper than ${mostLevels} levels`
  }
  if (bytesOf(payload) <= mostPayloadKiB * 1024) return undefined
  return `spec.payload has more than ${mostPayloadKiB} KiB; store it elsewhere and deliver where it is`
}

function bytesOf(value: unknown): number {
  // Integers that JavaScript cannot count are bigints, which JSON.stringify refuses.
  return Buffer.byteLength(stringifyJson(value))
}

function limited(
  path: string,
  mostMs: number,
  check: () => string | undefined,
): string | undefined {
  try {
    return limitWork(mostMs, check)
  } catch (error) {
    if (!(error instanceof WorkLimitExceeded)) throw error
    return `checking ${path} takes too long; simplify the schema`
  }
}

const byReason: Readonly<Partial<Record<FieldError['reason'], string>>> = {
  FieldValueRequired: 'is required by the schema of the Signal',
  FieldValueTypeInvalid: 'does not have the type that the schema requires',
  FieldValueNotSupported: 'is not one of the values that the schema allows',
  FieldValueTooLong: 'is longer than the schema allows',
  FieldValueTooMany: 'has more items than the schema allows',
}

/** The message of the error itself quotes the payload, which may be confidential. */
function describe({ field, reason }: FieldError): string {
  const problem = byReason[reason] ?? 'does not fit the schema of the Signal'
  return `${shortened(field, 200)} ${problem}`
}

function shortened(text: string, most = longestMessage): string {
  const printable = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
  return printable.length > most ? `${printable.slice(0, most - 1)}…` : printable
}
