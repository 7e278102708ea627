import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { applyStrategicMergePatch, type PatchSchema } from './strategic-merge-patch.ts'

const schema: PatchSchema = {
  type: 'object',
  properties: {
    containers: {
      type: 'array',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
      items: {
        type: 'object',
        properties: {
          args: { type: 'array', items: { type: 'string' } },
          env: {
            type: 'array',
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'name',
            items: { type: 'object' },
          },
        },
      },
    } as PatchSchema,
    finalizers: {
      type: 'array',
      'x-kubernetes-patch-strategy': 'merge',
      items: { type: 'string' },
    } as PatchSchema,
    strategy: { type: 'object', 'x-kubernetes-patch-strategy': 'retainKeys' } as PatchSchema,
    wholesale: { type: 'object', 'x-kubernetes-patch-strategy': 'replace' } as PatchSchema,
  },
}

function named(...names: string[]) {
  return names.map((name) => ({ name }))
}

describe('a strategic merge patch', () => {
  test.each<{ because: string; from: Json; patch: Json; to: Json }>([
    {
      because: 'objects merge',
      from: { a: { b: 1 } },
      patch: { a: { c: 2 } },
      to: { a: { b: 1, c: 2 } },
    },
    { because: 'null removes', from: { a: 1, b: 2 }, patch: { a: null }, to: { b: 2 } },
    {
      because: 'null for a missing field is dropped',
      from: {},
      patch: { a: { b: null, c: 1 } },
      to: { a: { c: 1 } },
    },
    {
      because: 'a list without a strategy is replaced',
      from: { l: [1, 2] },
      patch: { l: [3] },
      to: { l: [3] },
    },
    {
      because: 'an object of another kind is replaced',
      from: { a: [1] },
      patch: { a: { b: 1 } },
      to: { a: { b: 1 } },
    },
    {
      because: 'a field may be replaced by its strategy',
      from: { wholesale: { a: 1 } },
      patch: { wholesale: { b: 2 } },
      to: { wholesale: { b: 2 } },
    },
    {
      because: '$patch: replace replaces an object',
      from: { a: { b: 1 } },
      patch: { a: { $patch: 'replace', c: 2 } },
      to: { a: { c: 2 } },
    },
    {
      because: '$patch: delete empties an object',
      from: { a: { b: 1 } },
      patch: { a: { $patch: 'delete' } },
      to: { a: {} },
    },
    {
      because: 'list items merge by their key',
      from: { containers: [{ name: 'a', image: '1', args: ['x'] }] },
      patch: { containers: [{ name: 'a', image: '2', args: ['y'] }] },
      to: { containers: [{ name: 'a', image: '2', args: ['y'] }] },
    },
    {
      because: 'lists within list items merge by their key too',
      from: { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] },
      patch: { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
      to: {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
        ],
      },
    },
    {
      because: 'an item with $patch: delete is removed',
      from: { containers: named('a', 'b') },
      patch: { containers: [{ name: 'a', $patch: 'delete' }] },
      to: { containers: named('b') },
    },
    {
      because: 'deleting a missing item changes nothing',
      from: { containers: named('b') },
      patch: { containers: [{ name: 'a', $patch: 'delete' }] },
      to: { containers: named('b') },
    },
    {
      because: 'an item with $patch: replace replaces the list',
      from: { containers: named('a', 'b') },
      patch: { containers: [{ name: 'c' }, { $patch: 'replace' }] },
      to: { containers: named('c') },
    },
    {
      because: '$setElementOrder sorts the items that it names and keeps the position of the rest',
      from: { containers: named('sidecar', 'a', 'b') },
      patch: { '$setElementOrder/containers': named('b', 'a') },
      to: { containers: named('sidecar', 'b', 'a') },
    },
    {
      because: 'an added item gets its position from the order',
      from: { containers: named('a', 'c') },
      patch: { '$setElementOrder/containers': named('a', 'b', 'c'), containers: [{ name: 'b' }] },
      to: { containers: named('a', 'b', 'c') },
    },
    {
      because: 'primitive lists merge as sets',
      from: { finalizers: ['x'] },
      patch: { finalizers: ['y', 'x'] },
      to: { finalizers: ['y', 'x'] },
    },
    {
      because: '$deleteFromPrimitiveList removes values',
      from: { finalizers: ['x', 'y'] },
      patch: { '$deleteFromPrimitiveList/finalizers': ['x'], '$setElementOrder/finalizers': ['y'] },
      to: { finalizers: ['y'] },
    },
    {
      because: '$retainKeys removes the keys that it does not name',
      from: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
      patch: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      to: { strategy: { type: 'Recreate' } },
    },
    {
      because: 'directives never reach a new object',
      from: {},
      patch: {
        '$setElementOrder/containers': named('a'),
        containers: [{ name: 'a', $retainKeys: ['name'] }],
      },
      to: { containers: named('a') },
    },
  ])('$because', ({ from, patch, to }) => {
    const before = structuredClone(from)
    expect(applyStrategicMergePatch(from, patch, schema)).toEqual(to)
    expect(from).toEqual(before)
  })

  test('fails for an item without its key, with the message of Kubernetes', () => {
    const patch = { containers: [{ image: 'x', ports: [1, { a: null }] }] }
    expect(() => applyStrategicMergePatch({ containers: named('a') }, patch, schema)).toThrow(
      'map: map[image:x ports:[1 map[a:<nil>]]] does not contain declared merge key: name',
    )
  })

  test('ignores directives for missing values', () => {
    const patch = { labels: { $patch: 'replace', a: 'b' } }
    expect(applyStrategicMergePatch({}, patch, schema)).toEqual({})
  })

  test.each<{ because: string; patch: Json }>([
    { because: 'a directive is unknown', patch: { a: { $patch: 'increment' } } },
    {
      because: 'a retained key is not named',
      patch: { strategy: { $retainKeys: ['type'], other: 1 } },
    },
    { because: 'it is not an object', patch: [] },
  ])('is rejected when $because', ({ patch }) => {
    const from = { a: {}, strategy: {}, containers: named('a') }
    expect(() => applyStrategicMergePatch(from, patch, schema)).toThrow(
      expect.objectContaining({ code: 400 }),
    )
  })
})
