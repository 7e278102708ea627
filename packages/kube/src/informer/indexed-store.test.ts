import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../object.ts'
import { byOwner, createStore, ownerIndex } from './indexed-store.ts'

function object(uid: string, resourceVersion: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'd', namespace: 'team', uid, resourceVersion },
  }
}

describe('a delete event', () => {
  test('removes the object', () => {
    const store = createStore<KubeObject>()
    store.put(object('one', '5'))
    expect(store.remove(object('one', '6'))).toEqual([
      { type: 'delete', object: object('one', '6'), finalStateUnknown: false },
    ])
    expect(store.list()).toEqual([])
  })

  test('does not remove a newer object of the same name', () => {
    const store = createStore<KubeObject>()
    store.put(object('two', '8'))
    expect(store.remove(object('one', '6'))).toEqual([])
    expect(store.list()).toEqual([object('two', '8')])
  })

  test('removes an older object of the same name, whose deletion was missed', () => {
    const store = createStore<KubeObject>()
    store.put(object('one', '5'))
    expect(store.remove(object('two', '9'))).toEqual([
      { type: 'delete', object: object('one', '5'), finalStateUnknown: true },
    ])
    expect(store.list()).toEqual([])
  })
})

test('an object with 300,000 owners is indexed by each of them once', () => {
  // Each owner compared with each other one takes minutes.
  const owned = (resourceVersion: string): KubeObject => {
    const { metadata, ...rest } = object('one', resourceVersion)
    const ownerReferences = Array.from({ length: 300_000 }, (_, index) => {
      return { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: String(index) }
    })
    return { ...rest, metadata: { ...metadata, ownerReferences } }
  }
  const store = createStore<KubeObject>({ [ownerIndex]: byOwner })
  store.put(owned('1'))
  store.put(owned('2'))
  expect(store.byIndex(ownerIndex, '299999')).toHaveLength(1)
})
