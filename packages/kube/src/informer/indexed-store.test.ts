import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../object.ts'
import { createStore, ownerIndex } from './indexed-store.ts'

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

test('the values of an object are read a few times each, not once for each other one', () => {
  const count = 2000
  let reads = 0
  const uids = Array.from({ length: count }, (_, index) => String(index))
  const counted = new Proxy(uids, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1
      return Reflect.get(target, key) as unknown
    },
  })
  const store = createStore<KubeObject>({ [ownerIndex]: () => counted })
  store.put(object('one', '1'))
  store.put(object('one', '2'))
  expect(store.byIndex(ownerIndex, '1999')).toHaveLength(1)
  expect(reads).toBeGreaterThanOrEqual(count)
  expect(reads).toBeLessThanOrEqual(5 * count)
})
