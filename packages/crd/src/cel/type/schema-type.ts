import type { Schema } from '../../schema/schema.ts'
import { escapeProperty } from './property-name.ts'
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  type StructFields,
  stringType,
  structType,
  type Type,
  timestampType,
} from './type.ts'

/** The type of a schema in expressions, with the bounds for cost estimates. */
export interface SchemaType {
  readonly type: Type
  /** The maximum number of characters, bytes, items or entries of a value in a request of the maximum size. */
  readonly maxElements: number
  /** The minimum size of a value as JSON, in bytes. */
  readonly minSize: number
  readonly fields?: ReadonlyMap<string, SchemaType>
  readonly element?: SchemaType
  readonly key?: SchemaType
}

/** The type of a schema; undefined if expressions cannot access its values, because it does not specify their type. */
export function schemaType(
  schema: Schema,
  resourceRoot: boolean,
  name = 'selfType',
): SchemaType | undefined {
  return convert(schema, resourceRoot, name)
}

/** The struct types in a schema type, by name, for the checker. */
export function structFields(root: SchemaType): StructFields {
  const result = new Map<string, Map<string, Type>>()
  const visit = (current: SchemaType): void => {
    if (current.fields !== undefined) {
      const fields = new Map<string, Type>()
      result.set(current.type.name, fields)
      for (const [name, field] of current.fields) {
        fields.set(name, field.type)
        visit(field)
      }
    }
    if (current.element !== undefined) visit(current.element)
  }
  visit(root)
  return result
}

/**
 * Adds the fields that the root of every resource has: `apiVersion`, `kind`, `metadata.name` and
 * `metadata.generateName`.
 */
export function withObjectMeta(schema: Schema): Schema {
  const { kind, apiVersion, metadata } = schema.properties ?? {}
  const complete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.name?.type === 'string' &&
    metadata.properties.generateName?.type === 'string'
  if (complete) return schema
  const text: Schema = { type: 'string' }
  const meta: Schema = { type: 'object', properties: { name: text, generateName: text } }
  return {
    ...schema,
    properties: { ...schema.properties, kind: text, apiVersion: text, metadata: meta },
  }
}

export const maxRequestBytes = 3 * 1024 * 1024

function convert(schema: Schema, resourceRoot: boolean, name: string): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string']) {
    return { type: dynType, maxElements: stringBound(schema), minSize: 1 }
  }
  switch (schema.type) {
    case 'array':
      return convertArray(schema, name)
    case 'object':
      return convertObject(resourceRoot ? withObjectMeta(schema) : schema, name)
    case 'string':
      return convertString(schema)
    case 'boolean':
      return { type: boolType, maxElements: 0, minSize: 4 }
    case 'number':
      return { type: doubleType, maxElements: 0, minSize: 1 }
    case 'integer':
      return { type: intType, maxElements: 0, minSize: 1 }
    case undefined:
      return undefined
  }
}

function convertArray(schema: Schema, name: string): SchemaType | undefined {
  const { items } = schema
  if (items === undefined) return undefined
  const element = convert(items, items['x-kubernetes-embedded-resource'] === true, `${name}.@idx`)
  if (element === undefined) return undefined
  const maxElements =
    bound(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minSize + 1))
  return { type: listType(element.type), maxElements, minSize: 2, element }
}

function convertObject(schema: Schema, name: string): SchemaType | undefined {
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    const embedded = additionalProperties['x-kubernetes-embedded-resource'] === true
    const element = convert(additionalProperties, embedded, `${name}.@elem`)
    if (element === undefined) return undefined
    const maxElements =
      bound(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minSize + 6))
    const key: SchemaType = { type: stringType, maxElements: 0, minSize: 2 }
    return { type: mapType(stringType, element.type), maxElements, minSize: 2, element, key }
  }
  const fields = new Map<string, SchemaType>()
  let minSize = 2
  for (const [property, propertySchema] of Object.entries(schema.properties ?? {})) {
    const embedded = propertySchema['x-kubernetes-embedded-resource'] === true
    const field = convert(propertySchema, embedded, `${name}.${property}`)
    if (field === undefined) continue
    const escaped = escapeProperty(property)
    if (escaped !== undefined) fields.set(escaped, field)
    const required = schema.required?.includes(property) === true
    if (required && propertySchema.default === undefined) {
      minSize += new TextEncoder().encode(property).length + field.minSize + 4
    }
  }
  return { type: structType(name), maxElements: 0, minSize, fields }
}

function convertString(schema: Schema): SchemaType {
  switch (schema.format) {
    case 'byte':
      return {
        type: bytesType,
        maxElements: bound(schema.maxLength) ?? maxRequestBytes - 2,
        minSize: 2,
      }
    case 'duration':
      return { type: durationType, maxElements: 32, minSize: 3 }
    case 'date':
      return { type: timestampType, maxElements: 12, minSize: 12 }
    case 'date-time':
      return { type: timestampType, maxElements: 32, minSize: 21 }
    default:
      return { type: stringType, maxElements: stringBound(schema), minSize: 2 }
  }
}

/** The maximum size of a string in bytes. A code point can have four. */
function stringBound(schema: Schema): number {
  const maxLength = bound(schema.maxLength)
  if (maxLength !== undefined) return maxLength * 4
  const texts = (schema.enum ?? []).filter((value) => typeof value === 'string')
  if ((schema.enum ?? []).length === 0 || schema['x-kubernetes-int-or-string']) {
    return maxRequestBytes - 2
  }
  return Math.max(0, ...texts.map((text) => new TextEncoder().encode(text).length))
}

function bound(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value)
}
