import type { Json, Schema } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'
import { objectMetaSchema } from './object-meta-schema.ts'
import { fieldElement, type PathElement } from './path-element.ts'

/** What ownership needs to know of a schema. A value without a declared type may have any of the three shapes. */
export interface FieldType {
  readonly scalar: 'numeric' | 'string' | 'boolean' | 'untyped' | undefined
  readonly list: ListType | undefined
  readonly map: MapType | undefined
}

export interface ListType {
  /** Owned as a whole. Otherwise item by item. */
  readonly atomic: boolean
  /** Fields that identify an item. None: items are scalars and identify themselves (a set). */
  readonly keys: readonly string[]
  readonly keyDefaults: JsonObject
  readonly items: FieldType
}

export interface MapType {
  readonly atomic: boolean
  /** Declared by name. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** Of the declared fields: see `elementOf`. */
  readonly elements: ReadonlyMap<string, PathElement>
  /** Type of members that are not declared; undefined when there may be none. */
  readonly others: FieldType | undefined
  /** Nothing is declared and everything is allowed. */
  readonly free: boolean
}

export type Shape = 'map' | 'scalar' | 'list'

/** Types by schema, so that each is worked out once. Keep one for as long as the schemas live. */
export interface FieldTypes {
  /** Of a built-in kind, whose schema says everything. */
  ofSchema(schema: Schema): FieldType
  /** Of a custom resource: what every object has is added to its own schema. */
  ofCustomResource(schema: Schema): FieldType
}

export function createFieldTypes(): FieldTypes {
  const strict: Known = new WeakMap()
  const preserving: Known = new WeakMap()
  const known = [strict, preserving] as const
  const custom = new WeakMap<Schema, FieldType>()
  return {
    ofSchema: (schema) => typeOf(schema, false, known),
    ofCustomResource(schema) {
      const found = custom.get(schema)
      if (found !== undefined) return found
      const type = typeOf(withObjectFields(schema), false, known)
      custom.set(schema, type)
      return type
    },
  }
}

/** The shape in which a value of this type is treated; `undefined` and null take the first that the type allows. */
export function shapeOf(type: FieldType, value: Json | undefined): Shape {
  if (value !== undefined && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list'
    } else if (typeof value === 'object') {
      if (type.map !== undefined) return 'map'
    } else if (type.scalar !== undefined) return 'scalar'
  }
  if (type.map !== undefined) return 'map'
  return type.scalar !== undefined ? 'scalar' : 'list'
}

/** Members that the schema does not know are taken for free values: it may have changed since they were stored. */
export function memberType(map: MapType, name: string): FieldType {
  return map.fields.get(name) ?? map.others ?? deduced
}

/** The same text each time for a declared field, so that nobody has to hash it again. */
export function elementOf(map: MapType, name: string): PathElement {
  return map.elements.get(name) ?? fieldElement(name)
}

type Known = WeakMap<Schema, FieldType>
interface UnderConstruction {
  scalar: FieldType['scalar']
  list: ListType | undefined
  map: MapType | undefined
}

/** Free values inside a list: all of it is one value. */
const untypedAtomic: UnderConstruction = { scalar: 'untyped', list: undefined, map: undefined }
untypedAtomic.list = { atomic: true, keys: [], keyDefaults: {}, items: untypedAtomic }
untypedAtomic.map = mapOf({ atomic: true, others: untypedAtomic, free: false })

/** Free values elsewhere: objects field by field, lists as a whole. */
const deduced: UnderConstruction = { scalar: 'untyped', list: undefined, map: undefined }
deduced.list = { atomic: true, keys: [], keyDefaults: {}, items: untypedAtomic }
deduced.map = mapOf({ atomic: false, others: deduced, free: true })

/** A map in which nothing is declared. */
function mapOf(rest: Pick<MapType, 'atomic' | 'others' | 'free'>): MapType {
  return { fields: new Map(), elements: new Map(), ...rest }
}

function typeOf(schema: Schema, inherited: boolean, known: readonly [Known, Known]): FieldType {
  const preserve = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true
  const cache = known[preserve ? 1 : 0]
  const found = cache.get(schema)
  if (found !== undefined) return found
  const type: UnderConstruction = { scalar: undefined, list: undefined, map: undefined }
  // Before its parts are visited: a schema may contain itself.
  cache.set(schema, type)
  const plain = withoutReference(schema)
  const below = (part: Schema): FieldType => typeOf(part, preserve, known)
  switch (plain.type) {
    case 'object':
      type.map = mapType(plain, preserve, below)
      break
    case 'array':
      type.list = listType(plain, below)
      break
    case undefined:
      type.scalar = 'untyped'
      type.list = listType(plain, below)
      type.map = mapType(plain, preserve, below)
      break
    default:
      type.scalar = scalarType(plain)
  }
  return type
}

// OpenAPI writes a reference that has a default as the only part of allOf.
function withoutReference(schema: Schema): Schema {
  const [target, ...more] = schema.type === undefined ? (schema.allOf ?? []) : []
  if (target === undefined || more.length > 0 || schema.properties !== undefined) return schema
  const { allOf: _allOf, default: _default, ...own } = schema
  return { ...withoutReference(target), ...own }
}

function mapType(schema: Schema, preserve: boolean, below: (part: Schema) => FieldType): MapType {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true
  const { properties = {}, additionalProperties } = isEmbedded ? withObjectFields(schema) : schema
  const fields = new Map<string, FieldType>()
  const names = Object.keys(properties)
  let others: FieldType | undefined
  if (isObject(additionalProperties as Json)) others = below(additionalProperties as Schema)
  else if (additionalProperties === true) others = deduced
  else if (additionalProperties === undefined && (preserve || names.length === 0)) others = deduced
  for (const name of names) fields.set(name, below(properties[name] ?? {}))
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    fields,
    elements: new Map(names.map((name) => [name, fieldElement(name)])),
    others,
    free: fields.size === 0 && others?.scalar === 'untyped',
  }
}

function listType(
  schema: Schema & {
    'x-kubernetes-patch-strategy'?: string
    'x-kubernetes-patch-merge-key'?: string
  },
  below: (part: Schema) => FieldType,
): ListType {
  const listKind = schema['x-kubernetes-list-type']
  const strategy = schema['x-kubernetes-patch-strategy']
  const merges = listKind === undefined && strategy !== undefined && /^merge(,|$)/.test(strategy)
  const mergeKey = merges ? schema['x-kubernetes-patch-merge-key'] : undefined
  const keys =
    listKind === 'map'
      ? (schema['x-kubernetes-list-map-keys'] ?? [])
      : mergeKey === undefined
        ? []
        : [mergeKey]
  return {
    atomic: !(listKind === 'map' || listKind === 'set' || merges),
    keys,
    keyDefaults: defaultsOf(keys, schema.items),
    items: schema.items === undefined ? untypedAtomic : below(schema.items),
  }
}

function defaultsOf(keys: readonly string[], items: Schema | undefined): JsonObject {
  const { properties } = items === undefined ? {} : withoutReference(items)
  const defaults: JsonObject = {}
  for (const key of keys) {
    const fallback = properties?.[key]?.default
    if (fallback !== undefined && fallback !== null) defaults[key] = fallback
  }
  return defaults
}

function scalarType({ type, format = '' }: Schema): FieldType['scalar'] {
  if (type === 'boolean') return 'boolean'
  if (type !== 'string') return 'numeric'
  return format === '' || format === 'byte' ? 'string' : 'untyped'
}

function withObjectFields(schema: Schema): Schema {
  return {
    ...schema,
    type: 'object',
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: objectMetaSchema,
    },
  }
}
