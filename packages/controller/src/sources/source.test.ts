import type { KubeObject, OwnerReference } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { MemoryInformer } from '../testing/memory-informer.ts'
import {
  annotationsChanged,
  both,
  either,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
  resourceVersionChanged,
} from './predicate.ts'
import { mappedSource, ownedSource, type Source } from './source.ts'

const pod = (metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', resourceVersion: '1', ...metadata },
})

const owner = (extra: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Run',
  name: 'r',
  uid: 'u',
  controller: true,
  ...extra,
})

const record = (source: Source): string[] => {
  const seen: string[] = []
  source.start((key, options) => seen.push(`${key}@${options?.priority ?? 0}`))
  return seen
}

describe('a mapped source', () => {
  test('asks old and new objects, and puts what nobody waits for behind', () => {
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

  test('drops what the predicate does not let through, change by change', () => {
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
      because: 'the controlling owner is looked at',
      references: [owner()],
      namespaced: true,
      keys: ['n/r@0'],
    },
    {
      because: 'its version does not matter',
      references: [owner({ apiVersion: 'example.com/v2' })],
      namespaced: true,
      keys: ['n/r@0'],
    },
    {
      because: 'an owner that does not control is not',
      references: [owner({ controller: false })],
      namespaced: true,
      keys: [],
    },
    {
      because: 'one of another group is not',
      references: [owner({ apiVersion: 'other.com/v1' })],
      namespaced: true,
      keys: [],
    },
    {
      because: 'one of another kind is not',
      references: [owner({ kind: 'Walk' })],
      namespaced: true,
      keys: [],
    },
    {
      because: 'an owner of the cluster has no namespace',
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

  test('looks at both owners when a child changes hands', () => {
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
      because: 'the generation moved',
      predicate: generationChanged,
      after: pod({ generation: 2, labels: { a: '1' } }),
      passes: true,
    },
    {
      because: 'only the status moved',
      predicate: generationChanged,
      after: pod({ generation: 1, resourceVersion: '2' }),
      passes: false,
    },
    {
      because: 'a label moved',
      predicate: labelsChanged,
      after: pod({ labels: { a: '2' } }),
      passes: true,
    },
    {
      because: 'no label moved',
      predicate: labelsChanged,
      after: pod({ labels: { a: '1' } }),
      passes: false,
    },
    {
      because: 'an annotation came',
      predicate: annotationsChanged,
      after: pod({ annotations: { a: '1' } }),
      passes: true,
    },
    {
      because: 'a resync moves nothing',
      predicate: resourceVersionChanged,
      after: before,
      passes: false,
    },
    {
      because: 'both must hold',
      predicate: both(generationChanged, labelsChanged),
      after: pod({ generation: 2, labels: { a: '1' } }),
      passes: false,
    },
    {
      because: 'one is enough',
      predicate: either(generationChanged, labelsChanged),
      after: pod({ generation: 2, labels: { a: '1' } }),
      passes: true,
    },
    {
      because: 'not turns it around',
      predicate: not(generationChanged),
      after: pod({ generation: 2 }),
      passes: false,
    },
  ])('$because', ({ predicate, after, passes }) => {
    expect(predicate.update?.(before, after)).toBe(passes)
  })

  test('about updates let adds and deletes through, unless turned around', () => {
    const combined = both(generationChanged, either(labelsChanged, annotationsChanged))
    expect([combined.add?.(before), combined.delete?.(before)]).toEqual([true, true])
    expect([not(combined).add?.(before), not(combined).delete?.(before)]).toEqual([false, false])
  })
})
