import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { parseApiVersion } from '@agents/kube'
import { managerOf } from '../metadata/system-metadata.ts'
import type { ActionRequest, ActionSubresource, Resource } from '../registry/resource.ts'
import type { FieldManager } from '../rest/field-manager.ts'
import { invalid } from '../status/api-error.ts'
import { invalidValue } from '../status/field-errors.ts'

const apiVersion = 'authentication.k8s.io/v1'
const kind = 'TokenRequest'
const maximumSeconds = 2 ** 32

/**
 * Adds managedFields to the answers of token requests, as kube-apiserver does although nothing is stored. `schema` is
 * the schema of TokenRequest.
 */
export function recordTokenRequests(
  resources: readonly Resource[],
  schema: () => Schema,
  fieldManager: FieldManager,
): Resource[] {
  return resources.map((resource) => {
    const token = resource.subresources.get('token')
    if (token?.type !== 'action') return resource
    const recorded: ActionSubresource = {
      ...token,
      create: async (request) => {
        checkLifetime(request.body)
        const answer = await token.create(request)
        const managed = fieldManager.onUpdate({
          resource: { ...resource, ...parseApiVersion(apiVersion), kind, schema: schema() },
          strategy: resource.strategy,
          subresource: 'token',
          live: empty,
          next: defaulted(request, answer),
          manager: managerOf(request.context),
          now: request.context.now,
        })
        const { managedFields = [] } = managed.metadata
        return { ...answer, metadata: { ...answer.metadata, managedFields } }
      },
    }
    return { ...resource, subresources: new Map([...resource.subresources, ['token', recorded]]) }
  })
}

function checkLifetime({ spec }: KubeObject): void {
  const { expirationSeconds: seconds } = (spec ?? {}) as { expirationSeconds?: unknown }
  if (typeof seconds !== 'number' || seconds <= maximumSeconds) return
  throw invalid({ group: 'authentication.k8s.io', kind }, '', [
    invalidValue(
      'spec.expirationSeconds',
      seconds,
      'may not specify a duration larger than 2^32 seconds',
    ),
  ])
}

/** The object that requests are compared with: the fields they own are those they set. */
const empty: KubeObject = { apiVersion, kind, metadata: { name: '' }, spec: {} }

/**
 * The request with its default lifetime. The default audience is not part of it: it belongs to the server, not the
 * kind.
 */
function defaulted({ body }: ActionRequest, answer: KubeObject): KubeObject {
  const { expirationSeconds } = answer.spec as { expirationSeconds: number }
  const spec = { ...(body.spec as object), expirationSeconds }
  return { apiVersion, kind, metadata: { ...body.metadata }, spec }
}
