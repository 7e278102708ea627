import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKubeClient, type KubeClient } from '../client/kube-client.ts'
import { ConfigMapKind } from '../kind/builtin-kinds.ts'
import type { ConfigMap } from '../kind/builtin-objects.ts'
import { objectMessage } from '../protobuf/kubernetes.ts'
import { startWatchServer, type WatchServer } from '../testing/watch-server.ts'
import { createInformers, type Informers } from './informers.ts'

let truth: WatchServer
let client: KubeClient
let informers: Informers

beforeEach(async () => {
  truth = await startWatchServer()
  client = createKubeClient({ server: truth.server.url, namespace: 'team' })
  informers = createInformers(client)
})

afterEach(async () => {
  await informers.stop()
  client.close()
  await truth.server.stop()
})

test('users of the same kind and scope share one watch, until the last one releases it', async () => {
  truth.put('a')
  const first = informers.acquire(ConfigMapKind, { namespace: 'team' })
  const second = informers.acquire(ConfigMapKind, { namespace: 'team' })
  const received: string[] = []
  first.addHandler({ onAdd: ({ metadata }) => received.push(`first ${metadata.name}`) })
  await informers.waitForSync()
  second.addHandler({ onAdd: ({ metadata }) => received.push(`second ${metadata.name}`) })
  expect(received).toEqual(['first a', 'second a'])
  expect(truth.server.requests).toHaveLength(1)

  await first.release()
  await first.release()
  truth.put('b')
  await vi.waitFor(() => expect(received).toEqual(['first a', 'second a', 'second b']), 50_000)
  expect(informers.all()).toHaveLength(1)

  await second.release()
  expect(informers.all()).toHaveLength(0)
  await vi.waitFor(() => expect(truth.watching).toBe(0), 50_000)
})

test('a different selector opens another watch', async () => {
  informers.acquire(ConfigMapKind, { namespace: 'team' })
  informers.acquire(ConfigMapKind, { namespace: 'team', labelSelector: 'a=b' })
  informers.acquire(ConfigMapKind)
  await informers.waitForSync()
  expect(truth.server.requests).toHaveLength(3)
  expect(truth.server.requests[1]?.query.get('labelSelector')).toBe('a=b')
})

test('a later user may add an index, but not another transform or other fields', async () => {
  truth.put('a')
  informers.acquire(ConfigMapKind, { namespace: 'team' })
  await informers.waitForSync()
  const indexers = { byName: ({ metadata }: { metadata: { name: string } }) => [metadata.name] }
  const { informer } = informers.acquire(ConfigMapKind, { namespace: 'team', indexers })
  expect(informer.store.byIndex('byName', 'a')).toHaveLength(1)
  const transform = (object: ConfigMap) => object
  expect(() => informers.acquire(ConfigMapKind, { namespace: 'team', transform })).toThrow(
    'must share its transform',
  )
  const fields = objectMessage({})
  expect(() => informers.acquire(ConfigMapKind, { namespace: 'team', fields })).toThrow(
    'must share its transform and its fields',
  )
})
