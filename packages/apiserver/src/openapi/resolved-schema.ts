import { type Json, resolveReferences, type Schema } from '@agents/crd'
import { formatApiVersion } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { BuiltinDefinitions } from './builtin-definitions.ts'
import { customDefinitions, customName } from './custom-definitions.ts'

/** The schema that OpenAPI publishes for a resource, with references resolved. */
export function resolvedSchema(
  resource: Resource,
  builtin: BuiltinDefinitions,
): Schema | undefined {
  const own = resource.isCustom ? customDefinitions(resource) : {}
  const name = resource.isCustom
    ? customName(resource, resource.kind)
    : builtin.nameOfKind(`${formatApiVersion(resource)}/${resource.kind}`)
  if (name === undefined) return undefined
  return resolveReferences(name, (wanted) => (own[wanted] ?? builtin.schema(wanted)) as Json)
}
