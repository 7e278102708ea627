import { mappedSource, type ResourceCache, type Source } from '@agents/controller'
import { formatKey, type KubeObject } from '@agents/kube'

/**
 * Looks at the objects that refer to the changed one by its name, in their own namespace. An index finds them, so that
 * a change costs what it concerns, however many objects there are. `name` tells the references of one kind apart.
 */
export function referrersSource<T extends KubeObject, R extends KubeObject>(
  name: string,
  referred: ResourceCache<R>,
  referrers: ResourceCache<T>,
  namesOf: (referrer: T) => readonly (string | undefined)[],
): Source {
  referrers.addIndexers({
    [name]: (referrer) =>
      namesOf(referrer)
        .filter((one) => one !== undefined)
        .map((one) => formatKey({ namespace: referrer.metadata.namespace, name: one })),
  })
  return mappedSource(name, referred, ({ metadata }) =>
    referrers.byIndex(name, formatKey(metadata)).map((referrer) => referrer.metadata),
  )
}
