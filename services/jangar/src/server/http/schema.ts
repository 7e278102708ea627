/** The part of JSON Schema that describes parameters and bodies: the description and the check are one. */
export interface TextSchema {
  readonly type: 'string'
  readonly description?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
}

export interface IntegerSchema {
  readonly type: 'integer'
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

export interface FlagSchema {
  readonly type: 'boolean'
  readonly description?: string
}

/** A parameter that may be repeated. */
export interface TextsSchema {
  readonly type: 'array'
  readonly description?: string
  readonly items: TextSchema
  readonly maxItems: number
}

export type ParameterSchema = TextSchema | IntegerSchema | FlagSchema | TextsSchema

/** A schema in the description of bodies. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type ParameterValue<S extends ParameterSchema> = S extends IntegerSchema
  ? S extends { readonly default: number }
    ? number
    : number | undefined
  : S extends FlagSchema
    ? boolean
    : S extends TextsSchema
      ? readonly string[]
      : S extends { readonly enum: readonly (infer Choice)[] }
        ? Choice | undefined
        : string | undefined

/** Why a text does not fit. Undefined if it does. */
export function textProblem(
  { enum: choices, pattern, minLength = 0, maxLength = 1024 }: TextSchema,
  text: string,
): string | undefined {
  const length = [...text].length
  if (length > maxLength) return `must have at most ${maxLength} characters`
  if (length < minLength) return `must have at least ${minLength} characters`
  if (choices !== undefined && !choices.includes(text)) {
    return `must be one of ${choices.join(', ')}`
  }
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return `must match ${pattern}`
  return undefined
}
