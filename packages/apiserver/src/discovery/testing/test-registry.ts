import { parseApiVersion } from '@agents/kube'
import { readBuiltinTables } from '../../builtin/schema/tables.ts'
import type { Registry } from '../../registry/registry.ts'
import { createRegistry } from '../../registry/registry.ts'
import type { Resource, Subresource } from '../../registry/resource.ts'
import type { Strategy } from '../../registry/strategy.ts'

export const tables = readBuiltinTables()

/** A registry with all built-in resources and the given custom resources. */
export function registryWith(custom: readonly Resource[]): Registry {
  const registry = createRegistry()
  registry.replace('builtin', builtinResources())
  registry.replace('custom', custom)
  return registry
}

/** A custom resource with what discovery and OpenAPI use. */
export function customResource(parts: Partial<Resource> = {}): Resource {
  return {
    group: 'example.dev',
    version: 'v1',
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    storagePrefix: '/example.dev/widgets/',
    schema: { type: 'object' },
    isCustom: true,
    subresources: new Map(),
    strategy,
    columns: undefined,
    ...parts,
  }
}

/** A subresource without behaviour. */
export function subresource(
  name: string,
  kind: string,
  verbs: readonly string[],
  apiVersion?: string,
): Subresource {
  const elsewhere = apiVersion === undefined ? {} : parseApiVersion(apiVersion)
  return { type: 'view', name, kind, verbs, strategy, ...elsewhere }
}

function builtinResources(): Resource[] {
  return tables.resources.map(({ gv, resource, kind, singular, scope, verbs, ...more }) => {
    const below = Object.entries(more.sub ?? {}).map(
      ([name, sub]) => [name, subresource(name, sub.kind ?? kind, sub.verbs, sub.gv)] as const,
    )
    return customResource({
      ...parseApiVersion(gv),
      plural: resource,
      singular,
      kind,
      listKind: `${kind}List`,
      namespaced: scope === 'Namespaced',
      shortNames: more.short ?? [],
      categories: more.categories ?? [],
      verbs,
      isCustom: false,
      subresources: new Map(below),
    })
  })
}

const strategy: Strategy = {
  prune: () => [],
  setDefaults: () => undefined,
  prepareForCreate: () => undefined,
  prepareForUpdate: () => undefined,
  validate: () => [],
  validateUpdate: () => [],
  allowUnconditionalUpdate: true,
  allowCreateOnUpdate: false,
}
