import { formatApiVersion } from '@agents/kube'
import type { Resource, Subresource } from '../registry/resource.ts'
import { type OpenApiSchema, schemaReference } from './open-api-schema.ts'
import {
  deleteParameters,
  listParameters,
  type Parameter,
  patchParameters,
  pathParameters,
  readParameters,
  sharedParameters,
  writeParameters,
} from './parameters.ts'

/** Schema names that the operations of a resource refer to. */
export interface ResourceSchemas {
  readonly object: string
  readonly list: string | undefined
  /** Schema of the kind that a subresource returns. */
  subresource(subresource: Subresource): string | undefined
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const statusSchema = `${meta}.Status`

/** All paths of a resource with their operations. */
export function resourcePaths(
  resource: Resource,
  schemas: ResourceSchemas,
): Record<string, object> {
  const { group, version, plural, namespaced } = resource
  const root = `/${group === '' ? 'api' : 'apis'}/${formatApiVersion({ group, version })}`
  const collection = `${root}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`
  const paths: Record<string, object> = {}
  const add = (path: string, operations: OpenApiSchema, extra: readonly Parameter[] = []): void => {
    if (Object.keys(operations).length === 0) return
    paths[path] = {
      ...operations,
      parameters: [...placeholders(path), ...sharedParameters, ...extra],
    }
  }
  if (namespaced && resource.verbs.includes('list')) {
    const id = operationId('list', resource, `${resource.kind}ForAllNamespaces`)
    add(`${root}/${plural}`, { get: listOperation(resource, schemas, id) }, listParameters)
  }
  add(collection, collectionOperations(resource, schemas))
  add(`${collection}/{name}`, objectOperations(resource, schemas))
  for (const subresource of resource.subresources.values()) {
    const operations = subresourceOperations(resource, subresource, schemas)
    add(`${collection}/{name}/${subresource.name}`, operations)
  }
  return paths
}

function collectionOperations(resource: Resource, schemas: ResourceSchemas): OpenApiSchema {
  const has = (verb: string): boolean => resource.verbs.includes(verb)
  const scoped = scopedKind(resource)
  const list = listOperation(resource, schemas, operationId('list', resource, scoped))
  return {
    ...(has('list') ? { get: { ...list, parameters: listParameters } } : {}),
    ...(has('create') ? { post: createOperation(resource, schemas.object, scoped) } : {}),
    ...(has('deletecollection')
      ? {
          delete: operation(resource, 'deletecollection', {
            id: operationId('delete', resource, `Collection${scoped}`),
            parameters: [...listParameters, ...deleteParameters],
            body: `${meta}.DeleteOptions`,
            answers: [[200, statusSchema]],
          }),
        }
      : {}),
  }
}

function objectOperations(resource: Resource, schemas: ResourceSchemas): OpenApiSchema {
  const { verbs } = resource
  const scoped = scopedKind(resource)
  const deleted = resource.strategy.returnsDeleted === true ? schemas.object : statusSchema
  return {
    ...readWriteOperations(resource, verbs, schemas.object, scoped),
    ...(verbs.includes('delete')
      ? {
          delete: operation(resource, 'delete', {
            id: operationId('delete', resource, scoped),
            parameters: deleteParameters,
            body: `${meta}.DeleteOptions`,
            answers: [
              [200, deleted],
              [202, deleted],
            ],
          }),
        }
      : {}),
  }
}

function subresourceOperations(
  resource: Resource,
  subresource: Subresource,
  schemas: ResourceSchemas,
): OpenApiSchema {
  const schema = schemas.subresource(subresource)
  if (schema === undefined || subresource.type === 'stream') return {}
  const word = subresource.name.slice(0, 1).toUpperCase() + subresource.name.slice(1)
  const scoped = `${scopedKind(resource)}${word}`
  return {
    ...readWriteOperations(resource, subresource.verbs, schema, scoped),
    ...(subresource.verbs.includes('create')
      ? { post: createOperation(resource, schema, scoped) }
      : {}),
  }
}

function readWriteOperations(
  resource: Resource,
  verbs: readonly string[],
  schema: string,
  scoped: string,
): OpenApiSchema {
  const patched = `${meta}.Patch`
  return {
    ...(verbs.includes('get')
      ? {
          get: operation(resource, 'get', {
            id: operationId('read', resource, scoped),
            parameters: readParameters,
            answers: [[200, schema]],
          }),
        }
      : {}),
    ...(verbs.includes('update')
      ? {
          put: operation(resource, 'put', {
            id: operationId('replace', resource, scoped),
            parameters: writeParameters,
            body: schema,
            answers: [
              [200, schema],
              [201, schema],
            ],
          }),
        }
      : {}),
    ...(verbs.includes('patch')
      ? {
          patch: operation(resource, 'patch', {
            id: operationId('patch', resource, scoped),
            parameters: patchParameters,
            body: patched,
            bodyTypes: resource.isCustom ? patchTypes.slice(0, 3) : patchTypes,
            answers: [
              [200, schema],
              [201, schema],
            ],
          }),
        }
      : {}),
  }
}

function createOperation(resource: Resource, schema: string, scoped: string): OpenApiSchema {
  return operation(resource, 'post', {
    id: operationId('create', resource, scoped),
    parameters: writeParameters,
    body: schema,
    answers: [
      [200, schema],
      [201, schema],
      [202, schema],
    ],
  })
}

function listOperation(resource: Resource, schemas: ResourceSchemas, id: string): OpenApiSchema {
  return operation(resource, 'list', { id, answers: [[200, schemas.list ?? schemas.object]] })
}

const plainTypes = ['application/json', 'application/yaml']
const patchTypes = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]
const statusTexts: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

interface OperationParts {
  readonly id: string
  readonly parameters?: readonly Parameter[]
  readonly body?: string
  readonly bodyTypes?: readonly string[]
  readonly answers: readonly (readonly [code: number, schema: string])[]
}

function operation(
  { group, version, kind }: Resource,
  action: string,
  { id, parameters, body, bodyTypes = plainTypes, answers }: OperationParts,
): OpenApiSchema {
  const responses = answers.map(([code, schema]) => [
    code,
    { description: statusTexts[code] ?? '', content: content(schema, plainTypes) },
  ])
  return {
    tags: [`${groupWord(group)}_${version}`],
    operationId: id,
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { content: content(body, bodyTypes) } }),
    responses: { ...Object.fromEntries(responses), 401: { description: 'Unauthorized' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
  }
}

function content(schema: string, types: readonly string[]): OpenApiSchema {
  return Object.fromEntries(types.map((type) => [type, { schema: schemaReference(schema) }]))
}

function placeholders(path: string): Parameter[] {
  return [pathParameters.name, pathParameters.namespace].filter(({ name }) =>
    path.includes(`{${name}}`),
  )
}

function scopedKind({ namespaced, kind }: Resource): string {
  return namespaced ? `Namespaced${kind}` : kind
}

/**
 * The operation id, such as `readCoreV1NamespacedPod`: unique in a document, and used for names in generated clients.
 */
function operationId(verb: string, { group, version }: Resource, what: string): string {
  return `${verb}${capitalized(groupWord(group))}${capitalized(version)}${what}`
}

/** The group in an operation id: `core`, `apps`, `rbacAuthorization`, `exampleDev`. */
function groupWord(group: string): string {
  if (group === '') return 'core'
  const [first = '', ...others] = group.replace(/\.k8s\.io$/, '').split(/[.-]/)
  return first + others.map(capitalized).join('')
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
