import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { parseApiVersion } from '@agents/kube'
import { invalid } from '../endpoints/api-error.ts'
import type { Resource } from '../registry/resource.ts'
import type { ActionRequest, ActionSubresource } from '../registry/subresource.ts'
import { invalidValue } from '../rest/field-errors.ts'
import type { FieldManager } from '../rest/field-manager.ts'
import { managerOf } from '../rest/system-metadata.ts'

const apiVersion = 'authentication.k8s.io/v1'
const kind = 'TokenRequest'
const maximumSeconds = 2 ** 32

/** Asking for a token is recorded like any write, though nothing is stored. `schema` is the one of TokenRequest. */
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
          live: untold,
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

/** Compared with it, a request has those fields that it sets. */
const untold: KubeObject = { apiVersion, kind, metadata: { name: '' }, spec: {} }

/** What was asked for: the lifetime has a default of the kind, the audiences only one of this server. */
function defaulted({ body }: ActionRequest, answer: KubeObject): KubeObject {
  const { expirationSeconds } = answer.spec as { expirationSeconds: number }
  const spec = { ...(body.spec as object), expirationSeconds }
  return { apiVersion, kind, metadata: { ...body.metadata }, spec }
}
