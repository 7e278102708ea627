import type { Schema } from '@agents/crd'
import type { Resource } from '../registry/resource.ts'
import type { Strategy } from '../registry/strategy.ts'
import { definitionGroup, definitionPlural, definitionPrefix } from './definition.ts'
import { definitionStatusStrategy } from './definition-strategy.ts'

/** The resource `customresourcedefinitions` of apiextensions.k8s.io/v1. */
export function definitionResource(
  strategy: Strategy,
  schema: Schema,
  beforeWrite: Resource['beforeWrite'],
): Resource {
  return {
    ...(beforeWrite === undefined ? {} : { beforeWrite }),
    group: definitionGroup,
    version: 'v1',
    plural: definitionPlural,
    singular: 'customresourcedefinition',
    kind: 'CustomResourceDefinition',
    listKind: 'CustomResourceDefinitionList',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    storagePrefix: definitionPrefix,
    storageVersionHash: 'jfWCUB31mvA=',
    schema,
    isCustom: false,
    strategy,
    columns: undefined,
    subresources: new Map([
      [
        'status',
        {
          type: 'view',
          name: 'status',
          kind: 'CustomResourceDefinition',
          verbs: ['get', 'patch', 'update'],
          strategy: definitionStatusStrategy(strategy),
        },
      ],
    ]),
  }
}
