import type { Json, Schema, ValidationRule } from '../schema/schema.ts'

declare const value: unique symbol

/** A schema with the type of the values that it accepts. The type exists at compile time only. */
export type Typed<T> = Schema & { readonly [value]?: T }

/** The type of the values that a schema accepts: `type Spec = ValueOf<typeof spec>`. */
type ValueOf<S> = S extends Typed<infer T> ? T : never

/** A property that may be omitted. */
interface Optional<T> {
  readonly presence: 'optional'
  readonly schema: Typed<T>
}

/** A property that may be omitted and is then defaulted by the server, so that readers can rely on it. */
interface Defaulted<T> {
  readonly presence: 'defaulted'
  readonly schema: Typed<T>
}

type Field<T = unknown> = Typed<T> | Optional<T> | Defaulted<T>

export type Fields = Readonly<Record<string, Field>>

type FieldValue<F> = F extends Optional<infer T> ? T : F extends Defaulted<infer T> ? T : ValueOf<F>

type OptionalName<F> = {
  [Name in keyof F]: F[Name] extends Optional<unknown> ? Name : never
}[keyof F]

type Flat<T> = { [Name in keyof T]: T[Name] }

export type ObjectValue<F> = Flat<
  { [Name in Exclude<keyof F, OptionalName<F>>]: FieldValue<F[Name]> } & {
    [Name in OptionalName<F>]?: FieldValue<F[Name]>
  }
>

type Constraints<Name extends keyof Schema> = Pick<
  Schema,
  Name | 'nullable' | 'example' | 'x-kubernetes-validations'
>

type ListConstraints = Constraints<
  'minItems' | 'maxItems' | 'x-kubernetes-list-type' | 'x-kubernetes-list-map-keys'
>

export function optional<T>(schema: Typed<T>): Optional<T> {
  return { presence: 'optional', schema }
}

export function withDefault<T>(schema: Typed<T>, fallback: T & Json): Defaulted<T> {
  return { presence: 'defaulted', schema: { ...schema, default: fallback } as Typed<T> }
}

/** An object whose properties are required unless wrapped in `optional` or `withDefault`. */
export function object<const F extends Fields>(
  description: string,
  fields: F,
  constraints: Constraints<
    | 'minProperties'
    | 'maxProperties'
    | 'x-kubernetes-preserve-unknown-fields'
    | 'x-kubernetes-map-type'
  > = {},
): Typed<ObjectValue<F>> {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    if ('presence' in field) {
      properties[name] = field.schema
    } else {
      properties[name] = field
      required.push(name)
    }
  }
  return {
    description,
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties,
    ...constraints,
  }
}

export function list<T>(
  description: string,
  items: Typed<T>,
  constraints: ListConstraints = {},
): Typed<T[]> {
  return { description, type: 'array', items, ...constraints }
}

export function map<T>(
  description: string,
  values: Typed<T>,
  constraints: Constraints<'minProperties' | 'maxProperties'> = {},
): Typed<Record<string, T>> {
  return { description, type: 'object', additionalProperties: values, ...constraints }
}

export function string(
  description: string,
  constraints: Constraints<'minLength' | 'maxLength' | 'pattern' | 'format'> = {},
): Typed<string> {
  return { description, type: 'string', ...constraints }
}

/** A time in RFC 3339 format, with or without fractions of a second. */
export function timestamp(description: string): Typed<string> {
  return string(description, { format: 'date-time' })
}

export function oneOfStrings<const T extends string>(
  description: string,
  values: readonly T[],
): Typed<T> {
  return { description, type: 'string', enum: [...values] }
}

export function integer(
  description: string,
  constraints: Constraints<'minimum' | 'maximum' | 'format'> = {},
): Typed<number> {
  return { description, type: 'integer', ...constraints }
}

export function number(
  description: string,
  constraints: Constraints<'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum'> = {},
): Typed<number> {
  return { description, type: 'number', ...constraints }
}

export function boolean(description: string): Typed<boolean> {
  return { description, type: 'boolean' }
}

export function intOrString(description: string): Typed<number | string> {
  return {
    description,
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  }
}

/** An object with any content, which is preserved and not validated. */
export function freeObject(description: string): Typed<Record<string, Json>> {
  return { description, type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
}

/** Any JSON value, which is preserved and not validated. */
export function freeValue(description: string): Typed<Json> {
  return { description, 'x-kubernetes-preserve-unknown-fields': true }
}

/**
 * The same object, owned as a whole: server-side apply and managed fields do not track its properties one by one, which
 * makes writes cheaper. For objects that only one client writes.
 */
export function atomic<T extends object>(schema: Typed<T>): Typed<T> {
  return { ...schema, 'x-kubernetes-map-type': 'atomic' }
}

/** The same schema with CEL rules added. */
export function withRules<T>(schema: Typed<T>, ...rules: ValidationRule[]): Typed<T> {
  return {
    ...schema,
    'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), ...rules],
  }
}
