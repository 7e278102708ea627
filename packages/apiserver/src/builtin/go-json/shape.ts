import { isJsonObject } from '../../json/json-value.ts'
import { type CompactDefinition, propertyType, typeLayer } from '../schema/compact-definition.ts'
import type { BuiltinTables } from '../schema/tables.ts'
import {
  type Read,
  readBoolean,
  readBytes,
  readInteger,
  readIntOrString,
  readNumber,
  readQuantity,
  readString,
  readTime,
} from './scalar.ts'
import { pathText, startWalk, type Walk, wrongType } from './walk.ts'

/**
 * Normalizes JSON as Go does when it decodes it into the struct of a built-in kind and encodes it again: removes
 * unknown fields, nulls and, with omitempty, empty values, and adds the fields that Go always writes.
 */
export interface GoShapes {
  /**
   * Changes `object` in place and returns the paths of unknown fields. Throws TypeError with the message of Go's
   * decoder. The caller handles `kind` and `apiVersion` of the object.
   */
  shape(id: string, object: Record<string, unknown>): string[]
}

type StructReader = (value: Record<string, unknown>, walk: Walk) => void

export function createGoShapes({ definitions, goFields }: Tables): GoShapes {
  const structs = new Map<string, Struct>()
  const find = (id: string): Struct => {
    const known = structs.get(id)
    if (known !== undefined) return known
    const definition = definitions[id]
    if (definition === undefined) throw new Error(`unknown built-in definition ${id}`)
    const struct = compileStruct(id, definition, goFields[id] ?? {}, find)
    structs.set(id, struct)
    return struct
  }
  return {
    shape(id, object) {
      const walk = startWalk(structName(id))
      find(id).read(object, walk)
      return walk.unknown
    },
  }
}

type Tables = Pick<BuiltinTables, 'definitions' | 'goFields'>

interface Struct {
  readonly read: StructReader
}

interface Field {
  /** Returns `undefined` to omit the field. */
  read(value: unknown, walk: Walk): unknown
  /** The value that Go writes for an absent field; `undefined` if it writes none. */
  zero?(): unknown
  /** Embedded structs around the field, as Go names them in errors. */
  readonly embedded: readonly string[]
}

function compileStruct(
  id: string,
  definition: CompactDefinition,
  rows: Readonly<Record<string, string>>,
  find: (id: string) => Struct,
): Struct {
  const name = structName(id)
  let fields: Map<string, Field> | undefined
  let always: [string, Field][] = []
  const compile = (): Map<string, Field> => {
    const made = new Map<string, Field>()
    for (const [key, property] of Object.entries(definition.props ?? {})) {
      // Kept, since an empty list of managedFields resets them.
      const kept = id === 'meta.v1.ObjectMeta' && key === 'managedFields'
      const row = kept ? '*' : (rows[key] ?? '')
      made.set(key, compileField(propertyType(property), row, find))
    }
    always = [...made].filter(([, field]) => field.zero !== undefined)
    return made
  }
  return {
    read(value, walk) {
      fields ??= compile()
      const outer = walk.struct
      walk.struct = name
      const outermost = walk.path.length === 0
      for (const key of Object.keys(value)) {
        if (outermost && (key === 'kind' || key === 'apiVersion')) continue
        const field = fields.get(key)
        walk.path.push(key)
        if (field === undefined) {
          walk.unknown.push(pathText(walk.path))
          delete value[key]
        } else {
          for (const part of field.embedded) walk.stack.push(part)
          walk.stack.push(key)
          const read = field.read(value[key], walk)
          if (read === undefined) delete value[key]
          else value[key] = read
          walk.stack.length -= field.embedded.length + 1
          walk.struct = name
        }
        walk.path.pop()
      }
      for (const [key, field] of always) {
        if (value[key] === undefined) value[key] = field.zero?.()
      }
      walk.struct = outer
    },
  }
}

/** `row` is an entry of `generated/go-fields.json`. */
function compileField(type: string, row: string, find: (id: string) => Struct): Field {
  const [, mark = '', goName = '', path = ''] = /^([!?*]?)([^@]*)(?:@(.*))?$/.exec(row) ?? []
  const goType = goName === '' ? goTypeOf(type) : goName
  const embedded = path === '' ? [] : path.split('.')
  const read = compileType(type, goType, find)
  const zero = zeroOf(type, find)
  if (mark === '!') {
    if (isCollection(type)) {
      // The storage of kube-apiserver does not distinguish an empty list from an absent one.
      const readSome = (value: unknown, walk: Walk): unknown => {
        const result = value === null ? undefined : read(value, walk, goType)
        return isEmpty(result) ? undefined : result
      }
      return { embedded, zero: () => null, read: readSome }
    }
    return {
      embedded,
      zero,
      read: (value, walk) => (value === null ? undefined : read(value, walk, goType)),
    }
  }
  if (mark === '?') {
    return {
      embedded,
      zero: () => null,
      read: (value, walk) => (value === null ? undefined : read(value, walk, goType)),
    }
  }
  const keepsEmpty = mark === '*' || isReference(type)
  return {
    embedded,
    read(value, walk) {
      if (value === null) return undefined
      const result = read(value, walk, goType)
      return !keepsEmpty && isEmpty(result) ? undefined : result
    },
  }
}

function compileType(type: string, goType: string, find: (id: string) => Struct): Read {
  const layer = typeLayer(type)
  if (layer.layer === 'list') {
    const itemType = goType.startsWith('[]') ? goType.slice(2) : goTypeOf(layer.inner)
    return readList(compileType(layer.inner, itemType, find), zeroOf(layer.inner, find), itemType)
  }
  if (layer.layer === 'map') {
    const valueType = /^map\[[^\]]*\](.*)$/.exec(goType)?.[1] ?? goTypeOf(layer.inner)
    return readMap(compileType(layer.inner, valueType, find), zeroOf(layer.inner, find), valueType)
  }
  if (layer.layer === 'scalar') return scalarReaders[layer.name] ?? ((value) => value)
  const special = specialReaders[layer.name]
  if (special !== undefined) return special
  const struct = find(layer.name)
  return (value, walk, expected) => {
    if (!isJsonObject(value)) throw wrongType(value, walk, expected)
    struct.read(value, walk)
    return value
  }
}

function readList(item: Read, zero: () => unknown, itemType: string): Read {
  return (value, walk, goType) => {
    if (!Array.isArray(value)) throw wrongType(value, walk, goType)
    const outer = walk.struct
    for (let index = 0; index < value.length; index++) {
      walk.path.push(index)
      value[index] = value[index] === null ? zero() : item(value[index], walk, itemType)
      walk.path.pop()
      walk.struct = outer
    }
    return value
  }
}

function readMap(part: Read, zero: () => unknown, partType: string): Read {
  return (value, walk, goType) => {
    if (!isJsonObject(value)) throw wrongType(value, walk, goType)
    const outer = walk.struct
    for (const key of Object.keys(value)) {
      walk.path.push(key)
      value[key] = value[key] === null ? zero() : part(value[key], walk, partType)
      walk.path.pop()
      walk.struct = outer
    }
    return value
  }
}

const scalarReaders: Readonly<Record<string, Read>> = {
  string: readString,
  boolean: readBoolean,
  int32: readInteger(32),
  int64: readInteger(64),
  integer: readInteger(64),
  double: readNumber,
  number: readNumber,
  byte: readBytes,
  'date-time': readString,
}

function anything(value: unknown): unknown {
  return value
}

function anyObject(value: unknown, walk: Walk, goType: string): unknown {
  if (!isJsonObject(value)) throw wrongType(value, walk, goType)
  return value
}

const specialReaders: Readonly<Record<string, Read>> = {
  'intstr.IntOrString': readIntOrString,
  'resource.Quantity': readQuantity,
  'meta.v1.Time': readTime(0),
  'meta.v1.MicroTime': readTime(6),
  'meta.v1.FieldsV1': anyObject,
  'runtime.RawExtension': anything,
  'apiextensions.v1.JSON': anything,
  'apiextensions.v1.JSONSchemaPropsOrArray': anything,
  'apiextensions.v1.JSONSchemaPropsOrBool': anything,
  'apiextensions.v1.JSONSchemaPropsOrStringArray': anything,
}

/** The JSON that Go writes for the zero value of a type. */
function zeroOf(type: string, find: (id: string) => Struct): () => unknown {
  const layer = typeLayer(type)
  if (layer.layer === 'list' || layer.layer === 'map') return () => null
  if (layer.layer === 'scalar') {
    if (layer.name === 'boolean') return () => false
    if (['int32', 'int64', 'integer', 'number', 'double'].includes(layer.name)) return () => 0
    return () => (layer.name === 'any' || layer.name === 'object' ? null : '')
  }
  if (layer.name === 'intstr.IntOrString') return () => 0
  if (layer.name === 'resource.Quantity') return () => '0'
  if (specialReaders[layer.name] !== undefined) return () => null
  return () => {
    const empty: Record<string, unknown> = {}
    find(layer.name).read(empty, startWalk(''))
    return empty
  }
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return isJsonObject(value) && Object.keys(value).length === 0
}

function isCollection(type: string): boolean {
  return type.startsWith('[') || type.startsWith('{')
}

function isReference(type: string): boolean {
  return typeLayer(type).layer === 'reference'
}

function structName(id: string): string {
  return id.slice(id.lastIndexOf('.') + 1)
}

/** The Go type of a type in the table, unless the generated row names another one. */
function goTypeOf(type: string): string {
  const layer = typeLayer(type)
  if (layer.layer === 'list') return `[]${goTypeOf(layer.inner)}`
  if (layer.layer === 'map') return `map[string]${goTypeOf(layer.inner)}`
  if (layer.layer === 'reference') return layer.name.split('.').slice(-2).join('.')
  return plainGoTypes[layer.name] ?? layer.name
}

const plainGoTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  byte: '[]uint8',
  double: 'float64',
  number: 'float64',
}
