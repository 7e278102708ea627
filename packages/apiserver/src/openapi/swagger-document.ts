import type { OpenApiDocument } from './document.ts'
import type { OpenApiSchema } from './open-api-schema.ts'

/** The OpenAPI v2 document of the whole server, for older clients. */
export function swaggerDocument(documents: readonly OpenApiDocument[]): object {
  const definitions: Record<string, unknown> = {}
  const paths: Record<string, unknown> = {}
  for (const document of documents) {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      definitions[name] ??= olderSchema(schema)
    }
    for (const [path, item] of Object.entries(document.paths)) paths[path] = olderPath(item)
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: '1.36' },
    paths,
    definitions,
    securityDefinitions: {
      BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  }
}

/** Keywords of v3 that v2 lacks. */
const newer = new Set(['nullable', 'anyOf', 'oneOf', 'allOf', 'not', 'default'])

function olderSchema(schema: OpenApiSchema): OpenApiSchema {
  const reference = referenceOf(schema)
  if (reference !== undefined) {
    const { description } = schema
    return { ...(description === undefined ? {} : { description }), $ref: reference }
  }
  const root = openRoot(schema)
  if (root !== undefined) return root
  // Older clients validate strictly, so the schema is dropped if it allows more than v2 can express.
  const open = schema.nullable === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  const entries = Object.entries(schema)
    .filter(([key]) => !newer.has(key) && !(open && typing.has(key)))
    .map(([key, value]) => [key, olderPart(key, value)])
  return Object.fromEntries(entries) as OpenApiSchema
}

/** A custom kind with arbitrary fields at its root remains an object, without anything else. */
function openRoot(schema: OpenApiSchema): OpenApiSchema | undefined {
  const kinds = schema['x-kubernetes-group-version-kind']
  if (kinds === undefined || schema['x-kubernetes-preserve-unknown-fields'] !== true) {
    return undefined
  }
  const fields = schema['x-kubernetes-selectable-fields']
  return {
    type: 'object',
    'x-kubernetes-group-version-kind': kinds,
    ...(fields === undefined ? {} : { 'x-kubernetes-selectable-fields': fields }),
  }
}

const typing = new Set(['type', 'properties', 'items', 'required'])

function olderPart(key: string, value: unknown): unknown {
  if (key === 'properties') return mapValues(value as Record<string, OpenApiSchema>, olderSchema)
  const isSchema = (key === 'items' || key === 'additionalProperties') && typeof value === 'object'
  return isSchema ? olderSchema(value as OpenApiSchema) : value
}

function referenceOf({ $ref, allOf }: OpenApiSchema): string | undefined {
  const found = $ref ?? (Array.isArray(allOf) && allOf.length === 1 ? allOf[0].$ref : undefined)
  if (typeof found !== 'string') return undefined
  return found.replace('#/components/schemas/', '#/definitions/')
}

interface Operation {
  readonly parameters?: readonly OpenApiSchema[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: OpenApiSchema }>> }
  readonly responses?: Readonly<Record<string, OpenApiSchema>>
}

function olderPath(item: object): object {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) =>
      key === 'parameters'
        ? [key, (value as readonly OpenApiSchema[]).map(olderParameter)]
        : [key, olderOperation(value as Operation)],
    ),
  )
}

function olderOperation({ parameters = [], requestBody, responses = {}, ...rest }: Operation) {
  const [body] = Object.values(requestBody?.content ?? {})
  return {
    ...rest,
    ...(requestBody === undefined ? {} : { consumes: Object.keys(requestBody.content) }),
    produces: ['application/json', 'application/yaml'],
    schemes: ['https'],
    parameters: [
      ...(body === undefined
        ? []
        : [{ name: 'body', in: 'body', schema: olderSchema(body.schema) }]),
      ...parameters.map(olderParameter),
    ],
    responses: mapValues(responses, olderResponse),
  }
}

function olderParameter({ schema, ...rest }: OpenApiSchema): object {
  return { ...rest, ...(schema as OpenApiSchema) }
}

function olderResponse({ description, content }: OpenApiSchema): object {
  const [first] = Object.values((content ?? {}) as Record<string, { schema: OpenApiSchema }>)
  return { description, ...(first === undefined ? {} : { schema: olderSchema(first.schema) }) }
}

function mapValues<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
}
