import { ApiError } from '../endpoints/api-error.ts'
import { deleteObject } from './delete.ts'
import type { DeleteOptions } from './delete-options.ts'
import type { RestEnvironment, Target } from './environment.ts'
import { type ListPage, listObjects } from './list.ts'
import type { ListOptions } from './list-options.ts'
import type { RequestContext } from './request-context.ts'

/** Deletes what the selectors match, one by one; answers with what it found. */
export async function deleteCollection(
  environment: RestEnvironment,
  target: Target,
  listOptions: ListOptions,
  options: DeleteOptions,
  context: RequestContext,
): Promise<ListPage> {
  const { resource } = target
  const page = await listObjects(environment.store, resource, target.namespace, listOptions)
  await Promise.all(
    page.entries.map(async ({ value: { metadata } }) => {
      const one: Target = {
        ...target,
        namespace: resource.namespaced ? (metadata.namespace ?? '') : '',
        name: metadata.name,
      }
      try {
        await deleteObject(environment, one, options, context)
      } catch (error) {
        // Somebody else was faster.
        if (!(error instanceof ApiError) || error.reason !== 'NotFound') throw error
      }
    }),
  )
  return page
}
