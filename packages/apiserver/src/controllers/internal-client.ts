import type { KubeObject } from '@agents/kube'
import { ApiError } from '../endpoints/api-error.ts'
import type { Resource } from '../registry/resource.ts'
import { createObject } from '../rest/create.ts'
import { deleteObject } from '../rest/delete.ts'
import type { RestEnvironment, Target } from '../rest/environment.ts'
import type { RequestContext } from '../rest/request-context.ts'
import { updateObject } from '../rest/update.ts'

export interface ObjectName {
  readonly resource: Resource
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
}

export interface InternalDelete {
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan'
  readonly uid?: string
}

/** The API as the server's own controllers use it: the same rules as for everybody, without HTTP. */
export interface InternalClient {
  create(resource: Resource, namespace: string, object: KubeObject): Promise<void>
  /** `change` gets a copy of the live object; returning `undefined` leaves it as it is. */
  update(
    target: ObjectName,
    change: (object: KubeObject) => KubeObject | undefined,
    subresource?: string,
  ): Promise<void>
  delete(target: ObjectName, options: InternalDelete): Promise<void>
}

/** `user` is who the controllers are to admission and in managedFields. */
export function createInternalClient(
  environment: RestEnvironment,
  user: string,
  clock: () => Date,
): InternalClient {
  const context = (): RequestContext => ({
    user: { name: user, groups: ['system:masters'] },
    now: clock(),
    userAgent: user,
    fieldManager: user,
    dryRun: false,
    fieldValidation: 'Ignore',
    warnings: [],
  })
  return {
    async create(resource, namespace, object) {
      const target = targetOf({ resource, namespace, name: '' }, '')
      resource.strategy.setDefaults(object)
      await createObject(environment, target, object, context())
    },
    async update(name, change, subresource = '') {
      const wish = (live: KubeObject | undefined): KubeObject => {
        if (live === undefined) throw new Error('only existing objects are updated here')
        return change(structuredClone(live)) ?? structuredClone(live)
      }
      const request = { wish, forceCreate: false, managed: false }
      await updateObject(environment, targetOf(name, subresource), request, context())
    },
    async delete(name, { propagationPolicy, uid }) {
      const options = {
        propagationPolicy,
        dryRun: false,
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      }
      await deleteObject(environment, targetOf(name, ''), options, context())
    },
  }
}

/** Runs a write and takes it for done when the object has gone or has become another one meanwhile. */
export async function unlessGone(write: Promise<void>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!(error instanceof ApiError) || !['NotFound', 'Conflict'].includes(error.reason))
      throw error
  }
}

function targetOf({ resource, namespace, name }: ObjectName, subresource: string): Target {
  const view = subresource === '' ? undefined : resource.subresources.get(subresource)
  if (subresource !== '' && view?.type !== 'view') {
    throw new Error(`${resource.plural} has no subresource ${subresource} to write to`)
  }
  const strategy = view?.type === 'view' ? view.strategy : resource.strategy
  return { resource, strategy, subresource, namespace, name }
}
