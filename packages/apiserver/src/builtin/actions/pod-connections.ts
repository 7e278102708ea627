import { ApiError, badRequest, notFound } from '../../endpoints/api-error.ts'
import type { StreamSubresource } from '../../registry/subresource.ts'
import type { Store } from '../../store/store.ts'
import { part, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

/** exec, attach and portforward: there is no way from here into a container, and clients are told so. */
export function connectSubresource(
  store: Store,
  discovered: Pick<StreamSubresource, 'name' | 'kind' | 'verbs'>,
): StreamSubresource {
  return {
    ...discovered,
    type: 'stream',
    async connect({ resource, namespace, name }) {
      const pod = store.get(`${resource.storagePrefix}${namespace}/${name}`)?.value
      if (pod === undefined) throw notFound(resource, name)
      if (text(part(pod as BuiltinObject, 'spec'), 'nodeName') === '') {
        throw badRequest(`pod ${name} does not have a host assigned`)
      }
      throw new ApiError(501, 'NotImplemented', `${discovered.name} of pods is not served here`)
    },
  }
}
