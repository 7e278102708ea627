import type { KubeObject, OwnerReference } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { MemoryInformer } from '../testing/memory-informer.ts'
import { generationChanged, labelsChanged, type Predicate } from './predicate.ts'
import { mappedSource, ownedSource, type Source } from './source.ts'

function pod(metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', resourceVersion: '1', ...metadata },
  }
}

function owner(extra: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Run',
    name: 'r',
    uid: 'u',
    controller: true,
    ...extra,
  }
}

function record(source: Source): string[] {
  const seen: string[] = []
  source.start((key, options) => seen.push(`${key}@${options?.priority ?? 0}`))
  return seen
}

describe('a mapped source', () => {
  test('maps old and new objects, with low priority for the initial list and resyncs', () => {
    const informer = new MemoryInformer()
    informer.put(pod({ labels: { run: 'a' } }))
    const seen = record(
      mappedSource('pods', informer, ({ metadata }) => [
        { namespace: metadata.namespace, name: metadata.labels?.run ?? '' },
      ]),
    )
    informer.put(pod({ labels: { run: 'b' }, resourceVersion: '2' }))
    informer.put(pod({ labels: { run: 'b' }, resourceVersion: '2' }))
    informer.delete('n/p', '3')
    informer.put(pod({ labels: { run: 'c' }, resourceVersion: '4' }))
    expect(seen).toEqual(['n/a@-100', 'n/a@0', 'n/b@0', 'n/b@-100', 'n/b@0', 'n/c@0'])
  })

  test('drops changes that the predicate rejects, by type of change', () => {
    const informer = new MemoryInformer()
    const predicate: Predicate = { add: () => false, update: () => true, delete: () => false }
    const seen = record(mappedSource('pods', informer, () => [{ name: 'x' }], predicate))
    informer.put(pod())
    informer.put(pod({ resourceVersion: '2' }))
    informer.delete('n/p', '3')
    expect(seen).toEqual(['x@0'])
  })
})

describe('an owned source', () => {
  test.each([
    {
      because: 'the controlling owner is reconciled',
      references: [owner()],
      namespaced: true,
      keys: ['n/r@0'],
    },
    {
      because: 'the API version of the owner does not matter',
      references: [owner({ apiVersion: 'example.com/v2' })],
      namespaced: true,
      keys: ['n/r@0'],
    },
    {
      because: 'an owner that does not control the child is not reconciled',
      references: [owner({ controller: false })],
      namespaced: true,
      keys: [],
    },
    {
      because: 'an owner of another group is not reconciled',
      references: [owner({ apiVersion: 'other.com/v1' })],
      namespaced: true,
      keys: [],
    },
    {
      because: 'an owner of another kind is not reconciled',
      references: [owner({ kind: 'Walk' })],
      namespaced: true,
      keys: [],
    },
    {
      because: 'a cluster-scoped owner has no namespace',
      references: [owner()],
      namespaced: false,
      keys: ['r@0'],
    },
  ])('$because', ({ references, namespaced, keys }) => {
    const informer = new MemoryInformer()
    const seen = record(
      ownedSource('pods', informer, { group: 'example.com', kind: 'Run', namespaced }),
    )
    informer.put(pod({ ownerReferences: references }))
    expect(seen).toEqual(keys)
  })

  test('reconciles both owners when a child changes its owner', () => {
    const informer = new MemoryInformer()
    informer.put(pod({ ownerReferences: [owner({ name: 'old' })] }))
    const source = ownedSource('pods', informer, {
      group: 'example.com',
      kind: 'Run',
      namespaced: true,
    })
    const seen = record(source)
    informer.put(pod({ ownerReferences: [owner({ name: 'new' })], resourceVersion: '2' }))
    expect(seen.slice(1)).toEqual(['n/old@0', 'n/new@0'])
  })
})

describe('predicates', () => {
  const before = pod({ generation: 1, labels: { a: '1' } })
  test.each([
    {
      because: 'the generation changed',
      predicate: generationChanged,
      after: pod({ generation: 2, labels: { a: '1' } }),
      passes: true,
    },
    {
      because: 'only the status changed',
      predicate: generationChanged,
      after: pod({ generation: 1, resourceVersion: '2' }),
      passes: false,
    },
    {
      because: 'a label changed',
      predicate: labelsChanged,
      after: pod({ labels: { a: '2' } }),
      passes: true,
    },
    {
      because: 'no label changed',
      predicate: labelsChanged,
      after: pod({ labels: { a: '1' } }),
      passes: false,
    },
  ])('$because', ({ predicate, after, passes }) => {
    expect(predicate.update?.(before, after)).toBe(passes)
  })
})
