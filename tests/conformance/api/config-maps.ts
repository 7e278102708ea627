import type { Answer, Fields } from './client.ts'
import { applied } from './patch-formats.ts'
import type { Suite } from './suite.ts'

/** The ConfigMaps of the suite's namespace: `map` builds one, `applyMap` applies it. */
export function configMapsOf({ client, namespace }: Suite) {
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const map = (name: string, data?: Fields, metadata: Fields = {}): Fields => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    ...(data && { data }),
  })
  const applyMap = (manager: string, name: string, data?: Fields, query = ''): Promise<Answer> =>
    client.send(
      'PATCH',
      `${maps}/${name}?fieldManager=${manager}${query}`,
      map(name, data),
      applied,
    )
  return { maps, map, applyMap }
}
