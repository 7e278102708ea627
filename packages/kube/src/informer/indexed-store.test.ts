import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../object.ts'
import { createStore } from './indexed-store.ts'

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
