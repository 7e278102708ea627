import type { Schema } from '@agents/crd'

export interface FieldRow {
  readonly path: string
  readonly type: string
  readonly presence: string
  readonly description: string
}

/** One row for each field below a schema, parents first. List items and map values extend the path of their parent. */
export function fieldRows(schema: Schema, path: string): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const child = `${path}.${name}`
    const row = {
      path: child,
      type: typeName(property),
      presence: presence(property, schema.required?.includes(name) ?? false),
      description: describe(property),
    }
    return [row, ...nestedRows(property, child)]
  })
}

function nestedRows(schema: Schema, path: string): FieldRow[] {
  if (schema.items) return nestedRows(schema.items, `${path}[]`)
  if (typeof schema.additionalProperties === 'object') {
    return nestedRows(schema.additionalProperties, `${path}.*`)
  }
  return fieldRows(schema, path)
}

function typeName(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string'
  if (schema.items) return `list of ${typeName(schema.items)}`
  if (typeof schema.additionalProperties === 'object') {
    return `map of ${typeName(schema.additionalProperties)}`
  }
  if (schema.format === 'date-time') return 'time'
  return schema.type ?? 'any'
}

function presence(schema: Schema, required: boolean): string {
  if (schema.default !== undefined) return `\`${JSON.stringify(schema.default)}\``
  return required ? 'required' : ''
}

function describe(schema: Schema): string {
  const values = schema.enum ?? schema.items?.enum
  return [
    schema.description ?? '',
    ...(values ? [`One of ${values.map((value) => `\`${value}\``).join(', ')}.`] : []),
    ...limits(schema),
  ].join(' ')
}

function limits(schema: Schema): string[] {
  const { minimum, maximum, maxLength, maxItems, maxProperties } = schema
  return [
    ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
    ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
    ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
    ...(maxItems === undefined ? [] : [`At most ${maxItems} items.`]),
    ...(maxProperties === undefined ? [] : [`At most ${maxProperties} entries.`]),
  ]
}
