import type { Json, Schema } from '@agents/crd'
import { isObject, type JsonObject } from '../json/json-value.ts'
import { objectMetaSchema } from './object-meta-schema.ts'
import { fieldElement, type PathElement } from './path-element.ts'

/**
 * The parts of a schema that matter for ownership. A value without a declared type may have any of the three shapes.
 */
export interface FieldType {
  readonly scalar: 'numeric' | 'string' | 'boolean' | 'untyped' | undefined
  readonly list: ListType | undefined
  readonly map: MapType | undefined
}

export interface ListType {
  /** Whether the list is owned as a whole instead of item by item. */
  readonly atomic: boolean
  /** Fields that identify an item. Empty for a set, whose items are scalars. */
  readonly keys: readonly string[]
  readonly keyDefaults: JsonObject
  readonly items: FieldType
}

export interface MapType {
  readonly atomic: boolean
  /** Types of the declared fields by name. */
  readonly fields: ReadonlyMap<string, FieldType>
  /** Path elements of the declared fields; see `elementOf`. */
  readonly elements: ReadonlyMap<string, PathElement>
  /** Type of undeclared fields; undefined if they are not allowed. */
  readonly others: FieldType | undefined
  /** No field is declared and all are allowed. */
  readonly free: boolean
}

export type Shape = 'map' | 'scalar' | 'list'

/** Caches the field types of schemas. Should live as long as the schemas. */
export interface FieldTypes {
  /** The type of a built-in kind, whose schema is complete. */
  ofSchema(schema: Schema): FieldType
  /** The type of a custom resource, with the fields that every object has added to its schema. */
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

/** The shape that a value of this type has. `undefined` and null get the first shape that the type allows. */
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

/** The type of a field. Unknown fields are treated as untyped values, since the schema may have changed. */
export function memberType(map: MapType, name: string): FieldType {
  return map.fields.get(name) ?? map.others ?? deduced
}

/**
 * The path element of a field. For a declared field it is always the same string, so that its hash is computed once.
 */
export function elementOf(map: MapType, name: string): PathElement {
  return map.elements.get(name) ?? fieldElement(name)
}

type Known = WeakMap<Schema, FieldType>
interface UnderConstruction {
  scalar: FieldType['scalar']
  list: ListType | undefined
  map: MapType | undefined
}

/** Untyped values inside a list, which are owned as a whole. */
const untypedAtomic: UnderConstruction = { scalar: 'untyped', list: undefined, map: undefined }
untypedAtomic.list = { atomic: true, keys: [], keyDefaults: {}, items: untypedAtomic }
untypedAtomic.map = mapOf({ atomic: true, others: untypedAtomic, free: false })

/** Untyped values elsewhere: objects are owned field by field, lists as a whole. */
const deduced: UnderConstruction = { scalar: 'untyped', list: undefined, map: undefined }
deduced.list = { atomic: true, keys: [], keyDefaults: {}, items: untypedAtomic }
deduced.map = mapOf({ atomic: false, others: deduced, free: true })

/** A map without declared fields. */
function mapOf(rest: Pick<MapType, 'atomic' | 'others' | 'free'>): MapType {
  return { fields: new Map(), elements: new Map(), ...rest }
}

function typeOf(schema: Schema, inherited: boolean, known: readonly [Known, Known]): FieldType {
  const preserve = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true
  const cache = known[preserve ? 1 : 0]
  const found = cache.get(schema)
  if (found !== undefined) return found
  const type: UnderConstruction = { scalar: undefined, list: undefined, map: undefined }
  // Cached before its parts are visited, since a schema may contain itself.
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

// OpenAPI writes a reference with a default as an allOf with one item.
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
