import type { Schema } from '@agents/crd'
import type { Resource } from '../registry/resource.ts'
import { type OpenApiSchema, referenceWith } from './open-api-schema.ts'

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const listMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'

const typeMeta = {
  apiVersion: { description: 'Group and version of the schema of this object.', type: 'string' },
  kind: { description: 'Kind of this object, in CamelCase.', type: 'string' },
}

/** OpenAPI name of a custom kind: `Widget` of example.dev/v1 is `dev.example.v1.Widget`. */
export function customName({ group, version }: Resource, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

/** The schemas of a custom kind and its list. */
export function customDefinitions(resource: Resource): Record<string, OpenApiSchema> {
  return {
    [customName(resource, resource.kind)]: customSchema(resource),
    [customName(resource, resource.listKind)]: listSchema(resource),
  }
}

function customSchema(resource: Resource): OpenApiSchema {
  const { properties = {}, ...rest } = published(resource.schema)
  return {
    ...rest,
    type: 'object',
    properties: {
      ...(properties as Record<string, OpenApiSchema>),
      ...identityProperties(properties as Record<string, OpenApiSchema>),
    },
    ...extensions(resource, resource.kind),
  }
}

/** The properties that every object has, with the descriptions that its definition declares. */
function identityProperties(declared: Readonly<Record<string, OpenApiSchema>>) {
  const describe = (name: string, fallback: string) => ({
    description: declared[name]?.description ?? fallback,
  })
  return {
    apiVersion: {
      ...typeMeta.apiVersion,
      ...describe('apiVersion', typeMeta.apiVersion.description),
    },
    kind: { ...typeMeta.kind, ...describe('kind', typeMeta.kind.description) },
    metadata: referenceWith(objectMeta, describe('metadata', 'Standard metadata of objects.')),
  }
}

function listSchema(resource: Resource): OpenApiSchema {
  return {
    description: `${resource.listKind} is a list of ${resource.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: {
        description: `List of ${resource.plural}.`,
        type: 'array',
        items: referenceWith(customName(resource, resource.kind), {}),
      },
      metadata: referenceWith(listMeta, { description: 'Standard metadata of lists.' }),
    },
    ...extensions(resource, resource.listKind),
  }
}

function extensions({ group, version, selectableFields = [] }: Resource, kind: string) {
  return {
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(selectableFields.length === 0
      ? {}
      : {
          'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })),
        }),
  }
}

/** The declared schema with the keywords that its extensions imply. */
function published(schema: Schema): OpenApiSchema {
  const { properties, items, additionalProperties, ...rest } = schema
  const plain: OpenApiSchema = {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties, published) }),
    ...(items === undefined ? {} : { items: published(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object'
              ? published(additionalProperties)
              : additionalProperties,
        }),
  }
  if (schema['x-kubernetes-embedded-resource'] === true) return embedded(plain)
  if (schema['x-kubernetes-int-or-string'] === true && plain.anyOf === undefined) {
    return { ...plain, anyOf: [{ type: 'integer' }, { type: 'string' }] }
  }
  return plain
}

function embedded(schema: OpenApiSchema): OpenApiSchema {
  const required = (schema.required ?? []) as readonly string[]
  const properties = (schema.properties ?? {}) as Record<string, OpenApiSchema>
  return {
    ...schema,
    required: [...new Set([...required, 'kind', 'apiVersion'])],
    properties: {
      ...properties,
      ...identityProperties(properties),
    },
  }
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
