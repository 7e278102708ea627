import type { Schema } from '../schema.ts'
import { escapeProperty } from './property-name.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  type StructFields,
  structType,
  TIMESTAMP,
  type Type,
} from './type.ts'

/** How a schema looks to expressions, with the bounds that the cost of an expression is estimated from. */
export interface SchemaType {
  readonly type: Type
  /** The most characters, bytes, items or entries a value can have in a request of the largest size. */
  readonly maxElements: number
  /** The fewest bytes a value takes as JSON. */
  readonly minSize: number
  readonly fields?: ReadonlyMap<string, SchemaType>
  readonly element?: SchemaType
  readonly key?: SchemaType
}

/** Undefined where expressions cannot see values of this schema, because it does not say what they are. */
export function schemaType(schema: Schema, resourceRoot: boolean): SchemaType | undefined {
  return convert(schema, resourceRoot, 'selfType')
}

/** The struct types that occur in a schema type, by name, as the checker wants them. */
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

/** `apiVersion`, `kind`, `metadata.name` and `metadata.generateName` are there at the root of every resource, and of metadata only these. */
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

export const MAX_REQUEST_BYTES = 3 * 1024 * 1024

function convert(schema: Schema, resourceRoot: boolean, name: string): SchemaType | undefined {
  if (schema['x-kubernetes-int-or-string']) {
    return { type: DYN, maxElements: stringBound(schema), minSize: 1 }
  }
  switch (schema.type) {
    case 'array':
      return convertArray(schema, name)
    case 'object':
      return convertObject(resourceRoot ? withObjectMeta(schema) : schema, name)
    case 'string':
      return convertString(schema)
    case 'boolean':
      return { type: BOOL, maxElements: 0, minSize: 4 }
    case 'number':
      return { type: DOUBLE, maxElements: 0, minSize: 1 }
    case 'integer':
      return { type: INT, maxElements: 0, minSize: 1 }
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
    bound(schema.maxItems) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSize + 1))
  return { type: listType(element.type), maxElements, minSize: 2, element }
}

function convertObject(schema: Schema, name: string): SchemaType | undefined {
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    const embedded = additionalProperties['x-kubernetes-embedded-resource'] === true
    const element = convert(additionalProperties, embedded, `${name}.@elem`)
    if (element === undefined) return undefined
    const maxElements =
      bound(schema.maxProperties) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSize + 6))
    const key: SchemaType = { type: STRING, maxElements: 0, minSize: 2 }
    return { type: mapType(STRING, element.type), maxElements, minSize: 2, element, key }
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
        type: BYTES,
        maxElements: bound(schema.maxLength) ?? MAX_REQUEST_BYTES - 2,
        minSize: 2,
      }
    case 'duration':
      return { type: DURATION, maxElements: 32, minSize: 3 }
    case 'date':
      return { type: TIMESTAMP, maxElements: 12, minSize: 12 }
    case 'date-time':
      return { type: TIMESTAMP, maxElements: 32, minSize: 21 }
    default:
      return { type: STRING, maxElements: stringBound(schema), minSize: 2 }
  }
}

/** In bytes: a code point can take four of them. */
function stringBound(schema: Schema): number {
  const maxLength = bound(schema.maxLength)
  if (maxLength !== undefined) return maxLength * 4
  const texts = (schema.enum ?? []).filter((value) => typeof value === 'string')
  if ((schema.enum ?? []).length === 0 || schema['x-kubernetes-int-or-string']) {
    return MAX_REQUEST_BYTES - 2
  }
  return Math.max(0, ...texts.map((text) => new TextEncoder().encode(text).length))
}

function bound(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(0, value)
}
