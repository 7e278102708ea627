import { formatApiVersion } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { BuiltinDefinitions } from './builtin-definitions.ts'
import { customDefinitions, customName } from './custom-definitions.ts'
import { type OpenApiSchema, referencedNames } from './open-api-schema.ts'
import { type ResourceSchemas, resourcePaths } from './resource-paths.ts'

export interface OpenApiDocument {
  readonly openapi: '3.0.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, object>>
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> }
}

/** The OpenAPI v3 document of one group version. */
export function openApiDocument(
  resources: readonly Resource[],
  builtin: BuiltinDefinitions,
): OpenApiDocument {
  const schemas: Record<string, OpenApiSchema> = {}
  let paths: Record<string, object> = {}
  for (const resource of resources) {
    if (resource.isCustom) Object.assign(schemas, customDefinitions(resource))
    paths = { ...paths, ...resourcePaths(resource, resourceSchemas(resource, builtin)) }
  }
  addReferenced(schemas, { paths, schemas }, builtin)
  const first = resources[0]
  const group = first === undefined ? 'core' : formatApiVersion(first)
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: group },
    paths: sortedByKey(paths),
    components: { schemas: narrowedKinds(sortedByKey(schemas), first) },
  }
}

function resourceSchemas(resource: Resource, builtin: BuiltinDefinitions): ResourceSchemas {
  const own = formatApiVersion(resource)
  const nameOf = (apiVersion: string, kind: string): string | undefined =>
    resource.isCustom && apiVersion === own
      ? customName(resource, kind)
      : builtin.nameOfKind(`${apiVersion}/${kind}`)
  return {
    object: nameOf(own, resource.kind) ?? builtin.nameOf('runtime.RawExtension'),
    list: nameOf(own, resource.listKind),
    subresource: ({ group = '', version, kind }) =>
      nameOf(version === undefined ? own : formatApiVersion({ group, version }), kind),
  }
}

/** Adds the built-in schemas that `from` refers to, directly and indirectly. */
function addReferenced(
  schemas: Record<string, OpenApiSchema>,
  from: object,
  builtin: BuiltinDefinitions,
): void {
  const waiting = [...referencedNames(from)]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (Object.hasOwn(schemas, name)) continue
    const schema = builtin.schema(name)
    if (schema === undefined) continue
    schemas[name] = schema
    waiting.push(...referencedNames(schema))
  }
}

/** DeleteOptions exists in every group version, but each document lists only its own. */
function narrowedKinds(
  schemas: Record<string, OpenApiSchema>,
  resource: Resource | undefined,
): Record<string, OpenApiSchema> {
  const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
  const options = schemas[name]
  if (options === undefined || resource === undefined) return schemas
  const { group, version } = resource
  const kinds = [{ group, version, kind: 'DeleteOptions' }]
  return { ...schemas, [name]: { ...options, 'x-kubernetes-group-version-kind': kinds } }
}

function sortedByKey<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries)
}
