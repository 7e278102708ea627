import type { Json } from '../../schema/schema.ts'

/**
 * A CEL value. bigint is int, number is double; a uint is boxed, because JavaScript has no third number type. An error
 * is a value too, since `&&`, `||` and the quantifiers may absorb it.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | List
  | LiteralMap
  | ObjectMap
  | TypeValue
  | Optional
  | Opaque
  | CelError

interface Uint {
  readonly kind: 'uint'
  readonly value: bigint
}

/** A time in nanoseconds since 1970. The original time zone is kept for printing only. */
export interface Timestamp {
  readonly kind: 'timestamp'
  readonly nanos: bigint
  readonly offsetMinutes: number
}

interface Duration {
  readonly kind: 'duration'
  readonly nanos: bigint
}

/** A list. The items of a list from JSON are converted on first access. */
export interface List {
  readonly kind: 'list'
  readonly items: (Value | undefined)[]
  readonly source: readonly Json[] | undefined
  readonly schema: ListSchema | undefined
  /** Whether the list is the accumulator of a running comprehension, to which `+` appends in place. */
  growing: boolean
}

export interface ListSchema {
  readonly convert: Convert
  readonly type: 'atomic' | 'set' | 'map'
  readonly keys: readonly string[]
  /** Whether the values have no schema, so that they compare like values in an expression. */
  readonly dynamic?: true
}

export interface LiteralMap {
  readonly kind: 'map'
  readonly entries: Map<MapKey, MapEntryValue>
  growing: boolean
}

/** Keys that are equal in CEL (1, 1u, 1.0) are the same JavaScript value. */
export type MapKey = string | boolean | bigint | number

interface MapEntryValue {
  readonly key: Value
  readonly value: Value
}

/** A JSON object with its schema. */
export interface ObjectMap {
  readonly kind: 'object'
  readonly source: { readonly [key: string]: Json }
  readonly schema: ObjectSchema
  /** Converted lists and objects in it, if there is no schema. */
  known?: Map<string, Value>
}

export interface ObjectSchema {
  /** With declared properties, keys are escaped and null counts as absent; otherwise it is a map. */
  readonly properties: ReadonlyMap<string, Convert> | undefined
  readonly additional: Convert | undefined
  /** Whether the values have no schema, so that they compare like values in an expression. */
  readonly dynamic?: true
}

export type Convert = (json: Json) => Value

interface TypeValue {
  readonly kind: 'type'
  readonly name: string
}

interface Optional {
  readonly kind: 'optional'
  readonly value: Value | undefined
}

/** A value of a library. Only that library knows the type of its content. */
interface Opaque {
  readonly kind: 'opaque'
  readonly type: OpaqueKind
  readonly content: unknown
}

export interface OpaqueKind {
  readonly name: string
  equal(left: unknown, right: unknown): boolean | CelError
  /** Whether `==` with a value of another kind is false instead of the error "no such overload". */
  readonly comparable?: true
  /** The size of a value for cost calculations. */
  size?(content: unknown): number
  /** The value of a field, if values of this kind have fields; undefined if the field is not set. */
  field?(content: unknown, name: string): Value | undefined
}

export class CelError {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

export const noSuchOverload = new CelError('no such overload')
export const noOptional: Optional = { kind: 'optional', value: undefined }

export function uint(value: bigint): Uint {
  return { kind: 'uint', value }
}

export function duration(nanos: bigint): Duration {
  return { kind: 'duration', nanos }
}

export function timestamp(nanos: bigint, offsetMinutes = 0): Timestamp {
  return { kind: 'timestamp', nanos, offsetMinutes }
}

export function optional(value: Value): Optional {
  return { kind: 'optional', value }
}

export function typeValue(name: string): TypeValue {
  return { kind: 'type', name }
}

export function isList(value: Value): value is List {
  return isBoxed(value) && value.kind === 'list'
}

export function isMap(value: Value): value is LiteralMap | ObjectMap {
  return isBoxed(value) && (value.kind === 'map' || value.kind === 'object')
}

export function isUint(value: Value): value is Uint {
  return isBoxed(value) && value.kind === 'uint'
}

export function isDuration(value: Value): value is Duration {
  return isBoxed(value) && value.kind === 'duration'
}

export function isTimestamp(value: Value): value is Timestamp {
  return isBoxed(value) && value.kind === 'timestamp'
}

export function isOptional(value: Value): value is Optional {
  return isBoxed(value) && value.kind === 'optional'
}

export function isOpaque(value: Value): value is Opaque {
  return isBoxed(value) && value.kind === 'opaque'
}

type Boxed = Exclude<
  Value,
  null | boolean | bigint | number | string | Uint8Array | CelError | undefined
>

export function isBoxed(value: Value): value is Boxed {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof CelError) &&
    !(value instanceof Uint8Array)
  )
}

/** The name that `type(value)` prints and compares. */
export function typeNameOf(value: Value): string {
  const primitive = primitiveNames[typeof value]
  if (primitive !== undefined) return primitive
  if (!isBoxed(value)) {
    if (value === null) return 'null_type'
    return value instanceof CelError ? 'error' : 'bytes'
  }
  if (value.kind === 'opaque') return value.type.name
  return boxedNames[value.kind] ?? value.kind
}

const primitiveNames: Readonly<Record<string, string>> = {
  boolean: 'bool',
  bigint: 'int',
  number: 'double',
  string: 'string',
}

const boxedNames: Readonly<Record<string, string>> = {
  object: 'map',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  optional: 'optional_type',
}
