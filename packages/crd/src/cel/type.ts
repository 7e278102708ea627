export type TypeKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'type'
  | 'param'
  | 'opaque'
  | 'struct'

/** The static type of an expression. Structs and opaque types are told apart by their name. */
export interface Type {
  readonly kind: TypeKind
  readonly name: string
  readonly params: readonly Type[]
}

/** The fields of struct types, by the name of the type; only what a schema declares has fields. */
export type StructFields = ReadonlyMap<string, ReadonlyMap<string, Type>>

export const DYN = simple('dyn')
export const ERROR = simple('error', '!error!')
export const NULL = simple('null', 'null_type')
export const BOOL = simple('bool')
export const INT = simple('int')
export const UINT = simple('uint')
export const DOUBLE = simple('double')
export const STRING = simple('string')
export const BYTES = simple('bytes')
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp')
export const DURATION = simple('duration', 'google.protobuf.Duration')
export const TYPE = simple('type')

export function listType(element: Type): Type {
  return { kind: 'list', name: 'list', params: [element] }
}

export function mapType(key: Type, value: Type): Type {
  return { kind: 'map', name: 'map', params: [key, value] }
}

export function typeType(of: Type): Type {
  return { kind: 'type', name: 'type', params: [of] }
}

export function optionalType(of: Type): Type {
  return { kind: 'opaque', name: OPTIONAL_NAME, params: [of] }
}

export function opaqueType(name: string, ...params: Type[]): Type {
  return { kind: 'opaque', name, params }
}

export function structType(name: string): Type {
  return { kind: 'struct', name, params: [] }
}

export function typeParam(name: string): Type {
  return { kind: 'param', name, params: [] }
}

export function unwrapOptional(type: Type): Type | undefined {
  return type.kind === 'opaque' && type.name === OPTIONAL_NAME ? type.params[0] : undefined
}

export function isDynamic(type: Type): boolean {
  return type.kind === 'dyn'
}

export function sameType(left: Type, right: Type): boolean {
  return (
    left === right ||
    (left.kind === right.kind &&
      left.name === right.name &&
      left.params.length === right.params.length &&
      left.params.every((param, index) => sameType(param, right.params[index] ?? DYN)))
  )
}

/** As cel-go names types in its messages. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'timestamp':
    case 'duration':
    case 'null':
      return type.kind
    default:
      if (type.params.length === 0) return type.name
      return `${type.name}(${type.params.map(formatType).join(', ')})`
  }
}

export const OPTIONAL_NAME = 'optional_type'

function simple(kind: TypeKind, name: string = kind): Type {
  return { kind, name, params: [] }
}
