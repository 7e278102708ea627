import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { OwnershipGraph } from './ownership-graph.ts'

function object(uid: string, ...owners: string[]): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: uid,
      uid,
      ownerReferences: owners.map((owner) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: owner,
        uid: owner,
      })),
    },
  }
}

describe('the ownership graph', () => {
  test('finds dependents, including those added before their owner', () => {
    const graph = new OwnershipGraph()
    graph.put('/child', object('child', 'parent'))
    expect(graph.keyOf('parent')).toBeUndefined()
    graph.put('/parent', object('parent'))
    expect(graph.dependentsOf('parent')).toEqual(['/child'])
    expect(graph.keyOf('parent')).toBe('/parent')
  })

  test('follows a change of owners', () => {
    const graph = new OwnershipGraph()
    graph.put('/child', object('child', 'a', 'b'))
    graph.put('/child', object('child', 'b', 'c'))
    expect(['a', 'b', 'c'].map((owner) => graph.dependentsOf(owner))).toEqual([
      [],
      ['/child'],
      ['/child'],
    ])
  })

  test('keeps the dependents of a deleted owner', () => {
    const graph = new OwnershipGraph()
    graph.put('/parent', object('parent'))
    graph.put('/child', object('child', 'parent'))
    graph.remove(object('parent'))
    expect(graph.keyOf('parent')).toBeUndefined()
    expect(graph.dependentsOf('parent')).toEqual(['/child'])
    graph.remove(object('child', 'parent'))
    expect(graph.dependentsOf('parent')).toEqual([])
  })
})
