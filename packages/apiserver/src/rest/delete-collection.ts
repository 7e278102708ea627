import type { KubeObject } from '@agents/kube'
import type { RequestContext } from '../request/request-context.ts'
import { ApiError } from '../status/api-error.ts'
import { deleteObject } from './delete.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { RestEnvironment, Target } from './environment.ts'
import { type ListPage, listObjects } from './list.ts'
import type { ListOptions } from './list-options.ts'
import { createPacer } from './pacer.ts'

/** Deletes the selected objects one by one and returns them as a list. */
export async function deleteCollection(
  environment: RestEnvironment,
  target: Target,
  listOptions: ListOptions,
  options: DeleteOptions,
  context: RequestContext,
): Promise<ListPage> {
  const { resource } = target
  const page = await listObjects(environment.store, resource, target.namespace, listOptions)
  const deleteOne = async ({ metadata }: KubeObject): Promise<void> => {
    const one: Target = {
      ...target,
      namespace: resource.namespaced ? (metadata.namespace ?? '') : '',
      name: metadata.name,
    }
    try {
      await deleteObject(environment, one, options, context, true)
    } catch (error) {
      // The object has been deleted meanwhile.
      if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error
    }
  }
  const pace = createPacer()
  const pending: Promise<void>[] = []
  for (const { value, json } of page.entries) {
    const deleted = deleteOne(value)
    // Awaited at the end, so its rejection must be handled until then.
    deleted.catch(() => undefined)
    pending.push(deleted)
    if (pace.isDue(json.length)) await pace.rest()
  }
  await Promise.all(pending)
  return page
}
