import type { KubeObject } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { changedBy, withFieldDigests } from './field-managers.ts'

/** `manager@seconds:fields`, such as `kubectl@5:a,b`; a name with `/status` wrote the status. */
function object(entries: readonly string[], deletionTimestamp?: string): KubeObject {
  const managedFields = entries.map((text) => {
    const [who = '', rest = ''] = text.split('@')
    const [seconds = '', fields = ''] = rest.split(':')
    const [manager = '', subresource] = who.split('/')
    return {
      manager,
      operation: 'Update' as const,
      time: `2026-01-02T03:04:0${seconds}Z`,
      ...(subresource !== undefined && { subresource }),
      fieldsV1: Object.fromEntries(fields.split(',').map((field) => [`f:${field}`, {}])),
    }
  })
  return withFieldDigests({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', managedFields, ...(deletionTimestamp && { deletionTimestamp }) },
  })
}

describe('the manager of a change', () => {
  test.each([
    ['the creator', undefined, ['developer@1:a'], 'developer'],
    ['who set a field', ['developer@1:a'], ['developer@1:a', 'maintainer@2:b'], 'maintainer'],
    [
      'who set a field again',
      ['developer@1:a', 'maintainer@2:b'],
      ['developer@3:a', 'maintainer@2:b'],
      'developer',
    ],
    ['who took a field', ['developer@1:a,b'], ['developer@1:a', 'maintainer@2:b'], 'maintainer'],
    ['not who wrote the status', ['developer@1:a'], ['developer@1:a', 'c/status@2:s'], 'developer'],
    ['the same as before within a second', ['developer@1:a'], ['developer@1:a'], 'developer'],
    ['unknown after a removal', ['developer@1:a,b'], ['developer@1:a'], undefined],
    ['unknown if all fields of one were removed', ['developer@1:a', 'b@1:b'], ['b@1:b'], undefined],
    [
      'unknown if two wrote in one second',
      undefined,
      ['developer@1:a', 'maintainer@1:b'],
      undefined,
    ],
    ['unknown without managed fields', undefined, [], undefined],
  ])('is %s', (_what, before, after, manager) => {
    expect(changedBy(before && object(before), object(after))?.manager).toBe(manager)
  })

  test('comes with the time and the subresource of the write', () => {
    expect(changedBy(object(['a@1:a']), object(['a@1:a', 'maintainer/scale@2:b']))).toEqual({
      manager: 'maintainer',
      time: '2026-01-02T03:04:02Z',
      subresources: ['scale'],
    })
  })

  test('is unknown for a deletion, which nobody sets fields for', () => {
    const time = '2026-01-02T03:04:09Z'
    expect(changedBy(object(['developer@1:a']), object(['developer@1:a'], time))).toBeUndefined()
  })
})

test('digests of field sets are made once', () => {
  const once = object(['developer@1:a', 'maintainer@2:b'])
  expect(withFieldDigests(once)).toEqual(once)
  expect(JSON.stringify(once)).not.toContain('f:a')
})
