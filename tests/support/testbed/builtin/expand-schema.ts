import {
  type CompactDefinition,
  type CompactExtras,
  type CompactProperty,
  scalarFormats,
} from './compact-schema.ts'
import type { OpenApiSchema } from './open-api.ts'

/**
 * Expands the compact table to the schemas that kube-apiserver publishes, without prose and with short reference ids.
 */
export function expandDefinition(definition: CompactDefinition): OpenApiSchema {
  const { gvk, required, mapType, unions, props, schema } = definition
  const kinds = gvk === undefined ? {} : { 'x-kubernetes-group-version-kind': gvk.map(parseKind) }
  if (props === undefined) return { ...schema, ...kinds }
  const properties = Object.entries(props).map(([key, value]) => [key, expandProperty(value)])
  return {
    type: 'object',
    ...(required !== undefined && { required }),
    properties: Object.fromEntries(properties) as Record<string, OpenApiSchema>,
    ...kinds,
    ...(mapType !== undefined && { 'x-kubernetes-map-type': mapType }),
    ...(unions !== undefined && { 'x-kubernetes-unions': unions }),
  }
}

function expandProperty(property: CompactProperty): OpenApiSchema {
  const [type, extras]: readonly [string, CompactExtras] =
    typeof property === 'string' ? [property, {}] : property
  return {
    ...expandType(type, extras),
    ...(extras.patch !== undefined && { 'x-kubernetes-patch-strategy': extras.patch }),
    ...(extras.mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': extras.mergeKey }),
  }
}

function expandType(type: string, extras: CompactExtras): OpenApiSchema {
  const list = /^\[([^\]]*)\](.*)$/.exec(type)
  if (list !== null) return expandList(list[1] ?? '', expandType(list[2] ?? '', extras))
  const map = /^\{([^}]*)\}(.*)$/.exec(type)
  if (map !== null) {
    const additionalProperties = expandType(map[2] ?? '', extras)
    return {
      type: 'object',
      additionalProperties,
      ...(map[1] && { 'x-kubernetes-map-type': map[1] }),
    }
  }
  return {
    ...expandElement(type, extras),
    ...(extras.enum !== undefined && { enum: extras.enum }),
    ...(extras.mapType !== undefined && { 'x-kubernetes-map-type': extras.mapType }),
    ...(extras.listType !== undefined && { 'x-kubernetes-list-type': extras.listType }),
  }
}

function expandList(list: string, items: OpenApiSchema): OpenApiSchema {
  const [listType = '', keys] = list.split(':')
  return {
    type: 'array',
    items,
    ...(listType !== '' && { 'x-kubernetes-list-type': listType }),
    ...(keys !== undefined && { 'x-kubernetes-list-map-keys': keys.split(',') }),
  }
}

function expandElement(type: string, extras: CompactExtras): OpenApiSchema {
  const zero = type.endsWith('=')
  const name = zero ? type.slice(0, -1) : type
  const isReference = name.includes('.')
  const base: OpenApiSchema = isReference ? { $ref: name } : expandScalar(name)
  const fallback = zero ? zeroOf(base.type) : extras.default
  if (fallback === undefined) return base
  return isReference ? { allOf: [base], default: fallback } : { ...base, default: fallback }
}

function expandScalar(name: string): OpenApiSchema {
  if (name === 'any') return {}
  const formatted = Object.entries(scalarFormats).find(([, short]) => short === name)
  if (formatted === undefined) return { type: name }
  const [type = '', format = ''] = formatted[0].split(' ')
  return { type, format }
}

function zeroOf(type: string | undefined): unknown {
  if (type === 'string') return ''
  if (type === 'boolean') return false
  return type === 'integer' || type === 'number' ? 0 : {}
}

function parseKind(text: string): { group: string; version: string; kind: string } {
  const [kind = '', version = '', group = ''] = text.split('/').reverse()
  return { group, version, kind }
}
