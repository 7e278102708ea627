import { definitionId, shortPackage } from './definition-id.ts'
import { groupVersionOf } from './group-versions.ts'
import type { GroupVersionKind, OpenApiDocument, OpenApiSchema } from './open-api.ts'

/** One definition in `schemas.json`; the grammar is described in dump-builtin-schemas.ts. */
export interface CompactDefinition {
  readonly gvk?: readonly string[]
  readonly required?: readonly string[]
  readonly mapType?: string
  readonly unions?: unknown
  readonly props?: Readonly<Record<string, CompactProperty>>
  /** For the few definitions that are not objects with properties. */
  readonly schema?: OpenApiSchema
}

export type CompactProperty = string | readonly [type: string, extras: CompactExtras]

export interface CompactExtras {
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly patch?: string
  readonly mergeKey?: string
  readonly mapType?: string
  readonly listType?: string
}

export interface CompactSchemas {
  readonly packages: Readonly<Record<string, string>>
  readonly definitions: Readonly<Record<string, CompactDefinition>>
}

export function compactSchemas(documents: readonly OpenApiDocument[]): CompactSchemas {
  const packages = new Map<string, string>()
  const definitions = new Map<string, CompactDefinition>()
  for (const { components } of documents) {
    for (const [name, schema] of Object.entries(components.schemas)) {
      const packageName = name.slice(0, name.lastIndexOf('.'))
      const short = shortPackage(packageName)
      if ((packages.get(short) ?? packageName) !== packageName) {
        throw new Error(`${packageName} and ${packages.get(short)} both shorten to ${short}`)
      }
      packages.set(short, packageName)
      const id = definitionId(name)
      definitions.set(id, merged(id, definitions.get(id), compactDefinition(name, schema)))
    }
  }
  return { packages: sorted(packages), definitions: sorted(definitions) }
}

// Each document has its own copy; DeleteOptions and WatchEvent list in each only the kinds of that document.
function merged(
  id: string,
  known: CompactDefinition | undefined,
  next: CompactDefinition,
): CompactDefinition {
  if (known === undefined) return next
  const { gvk: knownKinds = [], ...knownRest } = known
  const { gvk: nextKinds = [], ...nextRest } = next
  if (JSON.stringify(knownRest) !== JSON.stringify(nextRest)) {
    throw new Error(`two documents define ${id} differently`)
  }
  const gvk = [...new Set([...knownKinds, ...nextKinds])].sort()
  return gvk.length > 0 ? { gvk, ...nextRest } : nextRest
}

function compactDefinition(name: string, schema: OpenApiSchema): CompactDefinition {
  const {
    description: _,
    'x-kubernetes-group-version-kind': kinds,
    'x-kubernetes-map-type': mapType,
    'x-kubernetes-unions': unions,
    properties,
    required,
    type,
    ...rest
  } = schema
  const gvk = kinds === undefined ? {} : { gvk: kinds.map(kindText).sort() }
  if (properties === undefined) {
    return { ...gvk, schema: { ...(type !== undefined && { type }), ...rest } }
  }
  nothingLeft(name, rest)
  const props = Object.entries(properties).map(([key, property]) => [
    key,
    compactProperty(`${name}.${key}`, property),
  ])
  return {
    ...gvk,
    ...(required !== undefined && { required }),
    ...(mapType !== undefined && { mapType }),
    ...(unions !== undefined && { unions }),
    props: Object.fromEntries(props) as Record<string, CompactProperty>,
  }
}

function compactProperty(where: string, schema: OpenApiSchema): CompactProperty {
  const extras: { -readonly [K in keyof CompactExtras]: CompactExtras[K] } = {}
  const { 'x-kubernetes-patch-strategy': patch, 'x-kubernetes-patch-merge-key': mergeKey } = schema
  if (patch !== undefined) extras.patch = patch
  if (mergeKey !== undefined) extras.mergeKey = mergeKey
  const { 'x-kubernetes-patch-strategy': _p, 'x-kubernetes-patch-merge-key': _m, ...bare } = schema
  const type = compactType(where, bare, extras)
  return Object.keys(extras).length > 0 ? [type, extras] : type
}

function compactType(
  where: string,
  schema: OpenApiSchema,
  extras: { -readonly [K in keyof CompactExtras]: CompactExtras[K] },
): string {
  const {
    description: _,
    type,
    format,
    items,
    additionalProperties,
    $ref,
    allOf,
    default: fallback,
    enum: values,
    'x-kubernetes-list-type': listType,
    'x-kubernetes-list-map-keys': mapKeys,
    'x-kubernetes-map-type': mapType,
    ...rest
  } = schema
  nothingLeft(where, rest)
  const collection = items !== undefined || additionalProperties !== undefined
  if (collection && fallback !== undefined) throw new Error(`${where} has a default as a whole`)
  if (values !== undefined) extras.enum = values
  if (items !== undefined) {
    const list = mapKeys === undefined ? (listType ?? '') : `map:${mapKeys.join(',')}`
    return `[${list}]${compactType(`${where}[]`, items, extras)}`
  }
  if (additionalProperties !== undefined) {
    return `{${mapType ?? ''}}${compactType(`${where}{}`, additionalProperties, extras)}`
  }
  if (mapType !== undefined) extras.mapType = mapType
  if (listType !== undefined) extras.listType = listType
  const reference = $ref ?? allOf?.[0]?.$ref
  const name = reference === undefined ? scalarName(where, type, format) : referencedId(reference)
  if (fallback === undefined) return name
  if (isZero(fallback)) return `${name}=`
  extras.default = fallback
  return name
}

function scalarName(where: string, type?: string, format?: string): string {
  const name =
    type === undefined ? 'any' : format === undefined ? type : scalarFormats[`${type} ${format}`]
  if (name === undefined) throw new Error(`${where} has an unknown format: ${type} ${format}`)
  return name
}

/** Scalar names that combine a type with a format; the other scalars are named by their type alone. */
export const scalarFormats: Readonly<Record<string, string>> = {
  'integer int32': 'int32',
  'integer int64': 'int64',
  'number double': 'double',
  'string byte': 'byte',
  'string date-time': 'date-time',
}

function referencedId(reference: string): string {
  return definitionId(reference.slice(reference.lastIndexOf('/') + 1))
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || JSON.stringify(value) === '{}'
}

function kindText({ group, version, kind }: GroupVersionKind): string {
  return `${groupVersionOf(group, version)}/${kind}`
}

function nothingLeft(where: string, rest: object): void {
  const keys = Object.keys(rest)
  if (keys.length > 0)
    throw new Error(`${where} uses ${keys.join(', ')}, which the table cannot hold`)
}

function sorted<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}
