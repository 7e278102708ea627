import { type KubeObject, parseApiVersion } from '@agents/kube'
import type { Registry } from '../../registry/registry.ts'
import type { Resource } from '../../registry/resource.ts'
import type { RequestContext } from '../../request/request-context.ts'
import { createObject } from '../../rest/create.ts'
import { objectKey, type RestEnvironment } from '../../rest/environment.ts'
import { ApiError } from '../../status/api-error.ts'

/** Creates the objects that do not exist yet. Existing objects are not changed. */
export async function seedObjects(
  environment: RestEnvironment,
  registry: Registry,
  objects: readonly KubeObject[],
  now: Date,
): Promise<void> {
  const context: RequestContext = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    now,
    userAgent: 'kube-apiserver',
    fieldManager: undefined,
    dryRun: false,
    fieldValidation: 'Ignore',
    warnings: [],
  }
  // Namespaces must exist before the objects in them can be created.
  const isNamespace = ({ kind }: KubeObject): boolean => kind === 'Namespace'
  for (const group of [objects.filter(isNamespace), objects.filter((one) => !isNamespace(one))]) {
    await Promise.all(group.map((object) => seed(environment, registry, object, context)))
  }
}

async function seed(
  environment: RestEnvironment,
  registry: Registry,
  object: KubeObject,
  context: RequestContext,
): Promise<void> {
  const resource = resourceOf(registry, object)
  const { name, namespace = '' } = object.metadata
  if (resource === undefined) throw new Error(`${object.kind} is not served`)
  if (environment.store.get(objectKey(resource, namespace, name)) !== undefined) return
  const { strategy } = resource
  strategy.prune(object)
  strategy.setDefaults(object)
  try {
    await createObject(
      environment,
      { resource, strategy, subresource: '', namespace, name: '' },
      object,
      context,
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
  }
}

function resourceOf(registry: Registry, { apiVersion, kind }: KubeObject): Resource | undefined {
  const { group, version } = parseApiVersion(apiVersion)
  return registry
    .all()
    .find((one) => one.group === group && one.version === version && one.kind === kind)
}
