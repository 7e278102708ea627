import { type CustomResourceDefinition, customResourceDefinition, type Schema } from '@agents/crd'
import { agentRun } from '@agents/jangar-api'

/** The kind of runs with another schema. Variants differ in their group, so that one API server serves them all. */
export interface SchemaVariant {
  readonly name: string
  readonly group: string
  readonly definition: CustomResourceDefinition
}

type Change = (schema: Schema) => Schema

const changes: Readonly<Record<string, Change>> = {
  shipped: (schema) => schema,
  'without-rules': withoutRules,
  'atomic-items': atomicItems,
  'atomic-conditions': atomicConditions,
  loose,
}

/** The shipped schema comes first. */
export const schemaVariants: readonly SchemaVariant[] = Object.entries(changes).map(
  ([name, change]) => {
    const group = `${name}.bench.${agentRun.group}`
    return { name, group, definition: variantOf(group, change) }
  },
)

function variantOf(group: string, change: Change): CustomResourceDefinition {
  const { metadata, spec, ...rest } = customResourceDefinition(agentRun)
  const versions = spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: change(version.schema.openAPIV3Schema) },
  }))
  return {
    ...rest,
    metadata: { ...metadata, name: `${spec.names.plural}.${group}` },
    spec: { ...spec, group, versions },
  }
}

/** Removes the rules in CEL at every level. */
function withoutRules(schema: Schema): Schema {
  const text = JSON.stringify(schema, (key, value) =>
    key === 'x-kubernetes-validations' ? undefined : value,
  )
  return JSON.parse(text) as Schema
}

/** Managed fields then contain each condition as a whole, not each of its fields. */
function atomicItems(schema: Schema): Schema {
  return withConditions(schema, (list) => ({
    ...list,
    items: { ...(list.items as Schema), 'x-kubernetes-map-type': 'atomic' },
  }))
}

/** Managed fields then contain the conditions as a whole, not each field of each of them. */
function atomicConditions(schema: Schema): Schema {
  return withConditions(schema, ({ 'x-kubernetes-list-map-keys': _keys, ...list }) => ({
    ...list,
    'x-kubernetes-list-type': 'atomic',
  }))
}

function withConditions(schema: Schema, change: Change): Schema {
  const status = schema.properties?.status
  const conditions = status?.properties?.conditions
  if (status === undefined || conditions === undefined) throw new Error('no status.conditions')
  const properties = { ...status.properties, conditions: change(conditions) }
  return { ...schema, properties: { ...schema.properties, status: { ...status, properties } } }
}

/** Spec and status may contain anything. */
function loose(): Schema {
  const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return { type: 'object', properties: { spec: anything, status: anything } }
}
