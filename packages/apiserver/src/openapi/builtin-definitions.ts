import { parseApiVersion } from '@agents/kube'
import {
  type CompactDefinition,
  type CompactExtras,
  type CompactProperty,
  propertyExtras,
  propertyType,
  typeLayer,
} from '../builtin/schema/compact-definition.ts'
import type { BuiltinTables } from '../builtin/schema/tables.ts'
import { type GroupVersionKind, type OpenApiSchema, referenceWith } from './open-api-schema.ts'

/** The schemas of the built-in kinds by OpenAPI name, built from the generated table on demand. */
export interface BuiltinDefinitions {
  /** OpenAPI name of a definition: `core.v1.Pod` is `io.k8s.api.core.v1.Pod`. */
  nameOf(id: string): string
  /** OpenAPI name of a kind such as `apps/v1/Deployment`; `undefined` if it does not exist. */
  nameOfKind(kind: string): string | undefined
  schema(name: string): OpenApiSchema | undefined
}

type Tables = Pick<BuiltinTables, 'definitions' | 'packages'>

export function createBuiltinDefinitions(tables: Tables): BuiltinDefinitions {
  const nameOf = (id: string): string => {
    const dot = id.lastIndexOf('.')
    return `${tables.packages[id.slice(0, dot)] ?? id.slice(0, dot)}${id.slice(dot)}`
  }
  const indexes = once(() => indexDefinitions(tables, nameOf))
  const expanded = new Map<string, OpenApiSchema>()
  return {
    nameOf,
    nameOfKind: (kind) => indexes().kinds.get(kind),
    schema: (name) => {
      const known = expanded.get(name)
      if (known !== undefined) return known
      const id = indexes().ids.get(name)
      const definition = id === undefined ? undefined : tables.definitions[id]
      if (definition === undefined) return undefined
      const schema = expandDefinition(definition, nameOf)
      expanded.set(name, schema)
      return schema
    },
  }
}

function indexDefinitions(tables: Tables, nameOf: (id: string) => string) {
  const ids = new Map<string, string>()
  const kinds = new Map<string, string>()
  for (const [id, { gvk = [] }] of Object.entries(tables.definitions)) {
    const name = nameOf(id)
    ids.set(name, id)
    for (const kind of gvk) kinds.set(kind, name)
  }
  return { ids, kinds }
}

type NameOf = (id: string) => string

/** Adds the keywords that only OpenAPI uses. */
interface PublishedDefinition extends CompactDefinition {
  readonly unions?: unknown
}

function expandDefinition(definition: PublishedDefinition, nameOf: NameOf): OpenApiSchema {
  const { gvk, required, mapType, unions, props, schema } = definition
  const kinds = gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': gvk.map(parseKind) }
  if (props === undefined) return { ...schema, ...kinds }
  const properties = Object.entries(props).map(([key, property]) => [
    key,
    expandProperty(property, nameOf),
  ])
  return {
    type: 'object',
    ...(required === undefined ? {} : { required }),
    properties: Object.fromEntries(properties) as Record<string, OpenApiSchema>,
    ...kinds,
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...(unions === undefined ? {} : { 'x-kubernetes-unions': unions }),
  }
}

function expandProperty(property: CompactProperty, nameOf: NameOf): OpenApiSchema {
  const extras = propertyExtras(property)
  const { patch, mergeKey } = extras
  return expandType(propertyType(property), extras, nameOf, {
    ...(patch === undefined ? {} : { 'x-kubernetes-patch-strategy': patch }),
    ...(mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
  })
}

/** `own`: extensions of the outermost layer. */
function expandType(
  type: string,
  extras: CompactExtras,
  nameOf: NameOf,
  own: OpenApiSchema,
): OpenApiSchema {
  const layer = typeLayer(type)
  switch (layer.layer) {
    case 'list': {
      const [listType = '', keys] = layer.list.split(':')
      return {
        type: 'array',
        items: expandType(layer.inner, extras, nameOf, {}),
        ...(listType === '' ? {} : { 'x-kubernetes-list-type': listType }),
        ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys.split(',') }),
        ...own,
      }
    }
    case 'map':
      return {
        type: 'object',
        additionalProperties: expandType(layer.inner, extras, nameOf, {}),
        ...(layer.mapType === '' ? {} : { 'x-kubernetes-map-type': layer.mapType }),
        ...own,
      }
    case 'reference': {
      const fallback = layer.zero ? {} : extras.default
      return referenceWith(nameOf(layer.name), {
        ...withDefault(fallback),
        ...rest(extras),
        ...own,
      })
    }
    case 'scalar': {
      const scalar = scalarSchema(layer.name)
      const fallback = layer.zero ? zeroOf(scalar.type) : extras.default
      return { ...scalar, ...withDefault(fallback), ...rest(extras), ...own }
    }
  }
}

function rest({ enum: values, mapType, listType }: CompactExtras): OpenApiSchema {
  return {
    ...(values === undefined ? {} : { enum: values }),
    ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
    ...(listType === undefined ? {} : { 'x-kubernetes-list-type': listType }),
  }
}

function withDefault(fallback: unknown): OpenApiSchema {
  return fallback === undefined ? {} : { default: fallback }
}

const formatted: Readonly<Record<string, OpenApiSchema>> = {
  any: {},
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  byte: { type: 'string', format: 'byte' },
  'date-time': { type: 'string', format: 'date-time' },
}

function scalarSchema(name: string): OpenApiSchema {
  return formatted[name] ?? { type: name }
}

function zeroOf(type: unknown): unknown {
  if (type === 'string') return ''
  if (type === 'boolean') return false
  return type === 'integer' || type === 'number' ? 0 : {}
}

function parseKind(text: string): GroupVersionKind {
  const slash = text.lastIndexOf('/')
  return { ...parseApiVersion(text.slice(0, slash)), kind: text.slice(slash + 1) }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
