import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { OwnWrites } from './own-writes.ts'

function at(resourceVersion: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'n', resourceVersion },
  }
}

describe('reading own writes', () => {
  test.each([
    {
      because: 'nothing was written, so the cached object is used',
      cached: '5',
      seen: '9',
      written: undefined,
      read: '5',
    },
    { because: 'the cache is behind the write', cached: '5', seen: '5', written: '7', read: '7' },
    { because: 'the cache has the write', cached: '7', seen: '7', written: '7', read: '7' },
    {
      because: 'the cache has a later version',
      cached: '10',
      seen: '10',
      written: '9',
      read: '10',
    },
    {
      because: 'the cache does not have the object yet',
      cached: undefined,
      seen: '5',
      written: '7',
      read: '7',
    },
    {
      because: 'the cache is past the write and has no object: it was deleted',
      cached: undefined,
      seen: '8',
      written: '7',
      read: undefined,
    },
    {
      because: 'a cache without a version is behind',
      cached: undefined,
      seen: undefined,
      written: '7',
      read: '7',
    },
  ])('$because', ({ cached, seen, written, read }) => {
    const writes = new OwnWrites({
      get: () => (cached ? at(cached) : undefined),
      resourceVersion: seen,
    })
    if (written) writes.remember(at(written))
    expect(writes.get('n/a')?.metadata.resourceVersion).toBe(read)
  })

  test('drops the copy when the cache has caught up, and after a delete', () => {
    let cached = at('5')
    const writes = new OwnWrites({ get: () => cached, resourceVersion: '5' })
    writes.remember(at('6'))
    expect(writes.isAhead('n/a')).toBe(true)
    cached = at('6')
    expect(writes.isAhead('n/a')).toBe(false)
    writes.get('n/a')
    expect(writes.size).toBe(0)
    writes.remember(at('7'))
    writes.forget('n/a')
    expect(writes.size).toBe(0)
  })
})
