import type { Json, Schema } from '@agents/crd'
import {
  type CompactDefinition,
  type CompactExtras,
  type CompactProperty,
  propertyExtras,
  propertyType,
  typeLayer,
} from './compact-definition.ts'

/** A schema with the keywords that strategic merge patches need. */
interface BuiltinSchema extends Schema {
  'x-kubernetes-patch-strategy'?: string
  'x-kubernetes-patch-merge-key'?: string
}

export interface BuiltinSchemas {
  /** The schema of a definition: one shared object per id, whose properties are built when first read. */
  schema(id: string): BuiltinSchema
}

export function createBuiltinSchemas(
  definitions: Readonly<Record<string, CompactDefinition>>,
): BuiltinSchemas {
  const built = new Map<string, BuiltinSchema>()
  const schema = (id: string): BuiltinSchema => {
    const known = built.get(id)
    if (known !== undefined) return known
    const definition = definitions[id]
    if (definition === undefined) throw new Error(`unknown built-in definition ${id}`)
    const made = special[id] ?? objectSchema(definition, schema)
    built.set(id, made)
    return made
  }
  return { schema }
}

/** Definitions whose OpenAPI schema is less precise than this one. */
const special: Readonly<Record<string, BuiltinSchema>> = {
  'intstr.IntOrString': { 'x-kubernetes-int-or-string': true },
  'resource.Quantity': {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  },
  'meta.v1.FieldsV1': { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'runtime.RawExtension': {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-map-type': 'atomic',
  },
  'apiextensions.v1.JSON': { 'x-kubernetes-preserve-unknown-fields': true },
  'apiextensions.v1.JSONSchemaPropsOrArray': { 'x-kubernetes-preserve-unknown-fields': true },
  'apiextensions.v1.JSONSchemaPropsOrBool': { 'x-kubernetes-preserve-unknown-fields': true },
  'apiextensions.v1.JSONSchemaPropsOrStringArray': { 'x-kubernetes-preserve-unknown-fields': true },
}

type Lookup = (id: string) => BuiltinSchema

function objectSchema(definition: CompactDefinition, schema: Lookup): BuiltinSchema {
  const { props, required, mapType } = definition
  if (props === undefined) return { ...definition.schema }
  return withLazyProperties(
    {
      type: 'object',
      ...(required === undefined ? {} : { required: [...required] }),
      ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    },
    () =>
      Object.fromEntries(
        Object.entries(props).map(([name, property]) => [name, propertySchema(property, schema)]),
      ),
  )
}

function propertySchema(property: CompactProperty, schema: Lookup): BuiltinSchema {
  const extras = propertyExtras(property)
  const base = typeSchema(propertyType(property), extras, schema)
  if (extras.patch === undefined && extras.mergeKey === undefined) return base
  return refined(base, {
    ...(extras.patch === undefined ? {} : { 'x-kubernetes-patch-strategy': extras.patch }),
    ...(extras.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': extras.mergeKey }),
  })
}

function typeSchema(type: string, extras: CompactExtras, schema: Lookup): BuiltinSchema {
  const layer = typeLayer(type)
  if (layer.layer === 'list') {
    const [listType = '', keys] = layer.list.split(':')
    return {
      type: 'array',
      items: typeSchema(layer.inner, extras, schema),
      ...(listType === '' ? {} : { 'x-kubernetes-list-type': listType as 'set' }),
      ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys.split(',') }),
    }
  }
  if (layer.layer === 'map') {
    return {
      type: 'object',
      additionalProperties: typeSchema(layer.inner, extras, schema),
      ...(layer.mapType === '' ? {} : { 'x-kubernetes-map-type': layer.mapType as 'atomic' }),
    }
  }
  const base = layer.layer === 'reference' ? schema(layer.name) : scalarSchema(layer.name)
  const fallback = layer.zero ? zeroDefault(base) : (extras.default as Json | undefined)
  const more: BuiltinSchema = {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(extras.enum === undefined ? {} : { enum: [...extras.enum] as Json[] }),
    ...(extras.mapType === undefined ? {} : { 'x-kubernetes-map-type': extras.mapType }),
    ...(extras.listType === undefined ? {} : { 'x-kubernetes-list-type': extras.listType }),
  }
  return Object.keys(more).length === 0 ? base : refined(base, more)
}

/** Copies a schema with additional keywords. The properties are shared and still built when first read. */
function refined(base: BuiltinSchema, more: BuiltinSchema): BuiltinSchema {
  const copy: BuiltinSchema = {}
  for (const key of Object.keys(base)) {
    if (key !== 'properties') Object.assign(copy, { [key]: base[key as keyof BuiltinSchema] })
  }
  Object.assign(copy, more)
  return 'properties' in base ? withLazyProperties(copy, () => base.properties ?? {}) : copy
}

function withLazyProperties(
  target: BuiltinSchema,
  build: () => Record<string, Schema>,
): BuiltinSchema {
  return Object.defineProperty(target, 'properties', {
    enumerable: true,
    configurable: true,
    get() {
      const value = build()
      Object.defineProperty(target, 'properties', { value, enumerable: true, writable: true })
      return value
    },
  })
}

function scalarSchema(name: string): BuiltinSchema {
  switch (name) {
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true }
    case 'int32':
    case 'int64':
      return { type: 'integer', format: name }
    case 'double':
      return { type: 'number', format: name }
    case 'byte':
    case 'date-time':
      return { type: 'string', format: name }
    case 'object':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    default:
      return { type: name as 'string' }
  }
}

function zeroDefault({ type }: BuiltinSchema): Json {
  if (type === 'string') return ''
  if (type === 'boolean') return false
  return type === 'integer' || type === 'number' ? 0 : {}
}
