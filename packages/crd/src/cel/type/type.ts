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

/** The static type of an expression. Structs and opaque types are identified by their name. */
export interface Type {
  readonly kind: TypeKind
  readonly name: string
  readonly params: readonly Type[]
}

/** The fields of struct types by the name of the type. Only types from a schema have fields. */
export type StructFields = ReadonlyMap<string, ReadonlyMap<string, Type>>

export const dynType = simple('dyn')
export const errorType = simple('error', '!error!')
export const nullType = simple('null', 'null_type')
export const boolType = simple('bool')
export const intType = simple('int')
export const uintType = simple('uint')
export const doubleType = simple('double')
export const stringType = simple('string')
export const bytesType = simple('bytes')
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp')
export const durationType = simple('duration', 'google.protobuf.Duration')
export const metaType = simple('type')

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
  return { kind: 'opaque', name: optionalTypeName, params: [of] }
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
  return type.kind === 'opaque' && type.name === optionalTypeName ? type.params[0] : undefined
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
      left.params.every((param, index) => sameType(param, right.params[index] ?? dynType)))
  )
}

/** Formats a type as cel-go does in messages of the checker. */
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

/** Formats a type as cel-go does outside of the checker. */
export function typeText(type: Type): string {
  if (type.params.length === 0) return type.name
  return `${type.name}(${type.params.map(typeText).join(', ')})`
}

export const optionalTypeName = 'optional_type'

function simple(kind: TypeKind, name: string = kind): Type {
  return { kind, name, params: [] }
}
