import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../object.ts'
import { createStore } from './indexed-store.ts'

const object = (uid: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'd', namespace: 'team', uid, resourceVersion },
})

describe('the word that an object is gone', () => {
  test('takes it away', () => {
    const store = createStore<KubeObject>()
    store.put(object('one', '5'))
    expect(store.remove(object('one', '6'))).toEqual([
      { type: 'delete', object: object('one', '6'), finalStateUnknown: false },
    ])
    expect(store.list()).toEqual([])
  })

  test('says nothing about a newer object of the same name', () => {
    const store = createStore<KubeObject>()
    store.put(object('two', '8'))
    expect(store.remove(object('one', '6'))).toEqual([])
    expect(store.list()).toEqual([object('two', '8')])
  })

  test('takes away an older object of the same name, whose end was missed', () => {
    const store = createStore<KubeObject>()
    store.put(object('one', '5'))
    expect(store.remove(object('two', '9'))).toEqual([
      { type: 'delete', object: object('one', '5'), finalStateUnknown: true },
    ])
    expect(store.list()).toEqual([])
  })
})
