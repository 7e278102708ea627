import type { KubeObject } from '@agents/kube'
import type { Resource } from '../registry/resource.ts'
import type { RequestContext } from '../request/request-context.ts'
import { createObject } from '../rest/create.ts'
import { deleteObject } from '../rest/delete.ts'
import type { RestEnvironment, Target } from '../rest/environment.ts'
import { updateObject } from '../rest/update.ts'
import { ApiError } from '../status/api-error.ts'

export interface ObjectName {
  readonly resource: Resource
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  readonly name: string
}

interface InternalDelete {
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan'
  readonly uid?: string
}

/** API client of the controllers inside the server. The same rules as for other clients apply, without HTTP. */
export interface InternalClient {
  create(resource: Resource, namespace: string, object: KubeObject): Promise<void>
  /** `change` gets a copy of the live object. If it returns `undefined`, nothing is written. */
  update(
    target: ObjectName,
    change: (object: KubeObject) => KubeObject | undefined,
    subresource?: string,
  ): Promise<void>
  delete(target: ObjectName, options: InternalDelete): Promise<void>
  /** Applies a status with server-side apply, with force. */
  applyStatus(target: ObjectName, manager: string, status: object): Promise<void>
}

/** `user` is the identity of the controller in admission and managedFields. */
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
      const desired = (live: KubeObject | undefined): KubeObject => {
        if (live === undefined) throw new Error('cannot update an object that does not exist')
        return change(structuredClone(live)) ?? structuredClone(live)
      }
      const request = { desired, forceCreate: false, managed: false }
      await updateObject(environment, targetOf(name, subresource), request, context())
    },
    async applyStatus(name, manager, status) {
      const target = targetOf(name, 'status')
      const { resource, strategy, subresource } = target
      const now = clock()
      const desired = (live: KubeObject | undefined): KubeObject => {
        const { fieldManager } = environment
        if (live === undefined || fieldManager === undefined) {
          throw new Error('cannot apply the status of an object that does not exist')
        }
        const { apiVersion, kind } = live
        const applied = { apiVersion, kind, metadata: { name: name.name }, status } as KubeObject
        const change = { resource, strategy, subresource, live, manager, now, force: true }
        const object = structuredClone(fieldManager.onApply({ ...change, applied }))
        strategy.setDefaults(object)
        return object
      }
      const request = { desired, forceCreate: false, managed: true }
      await updateObject(environment, target, request, { ...context(), fieldManager: manager })
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

/** Runs a write, and ignores that the object has been deleted or recreated meanwhile. */
export async function ignoreMissing(write: Promise<void>): Promise<void> {
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
