import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { OwnWrites } from './own-writes.ts'
import { isAtLeastVersion } from './resource-version.ts'

const at = (resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'n', resourceVersion },
})

describe('reading one’s own writes', () => {
  test.each([
    {
      because: 'nothing was written, so the cache counts',
      cached: '5',
      seen: '9',
      written: undefined,
      read: '5',
    },
    { because: 'the cache is behind the write', cached: '5', seen: '5', written: '7', read: '7' },
    { because: 'the cache shows the write', cached: '7', seen: '7', written: '7', read: '7' },
    {
      because: 'the cache shows something later',
      cached: '10',
      seen: '10',
      written: '9',
      read: '10',
    },
    {
      because: 'the cache does not know the object yet',
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
      because: 'a cache that has seen nothing is behind',
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

  test('keeps nothing once the cache has caught up, nor after a delete', () => {
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

describe('a version', () => {
  test.each([
    { because: 'numbers are compared as numbers', seen: '10', wanted: '9', atLeast: true },
    { because: 'the same is enough', seen: '9', wanted: '9', atLeast: true },
    { because: 'less is not', seen: '99', wanted: '100', atLeast: false },
    {
      because: 'other words count only when they are the same',
      seen: 'b',
      wanted: 'a',
      atLeast: false,
    },
    {
      because: 'numbers beyond 2^53 are exact',
      seen: '9007199254740993',
      wanted: '9007199254740994',
      atLeast: false,
    },
    { because: 'none is never enough', seen: undefined, wanted: '1', atLeast: false },
  ])('$because', ({ seen, wanted, atLeast }) => {
    expect(isAtLeastVersion(seen, wanted)).toBe(atLeast)
  })
})
