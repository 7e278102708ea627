import type { ObjectKey } from './object-api.ts'

/** `namespace/name`, or `name` alone for kinds of the cluster: what queues and caches are keyed by. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/')
  return slash === -1
    ? { name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
