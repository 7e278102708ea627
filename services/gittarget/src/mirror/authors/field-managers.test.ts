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
    ['the creator', undefined, ['alice@1:a'], 'alice'],
    ['who set a field', ['alice@1:a'], ['alice@1:a', 'bob@2:b'], 'bob'],
    ['who set a field again', ['alice@1:a', 'bob@2:b'], ['alice@3:a', 'bob@2:b'], 'alice'],
    ['who took a field', ['alice@1:a,b'], ['alice@1:a', 'bob@2:b'], 'bob'],
    ['not who wrote the status', ['alice@1:a'], ['alice@1:a', 'c/status@2:s'], 'alice'],
    ['the same as before within a second', ['alice@1:a'], ['alice@1:a'], 'alice'],
    ['unknown after a removal', ['alice@1:a,b'], ['alice@1:a'], undefined],
    ['unknown if all fields of one were removed', ['alice@1:a', 'b@1:b'], ['b@1:b'], undefined],
    ['unknown if two wrote in one second', undefined, ['alice@1:a', 'bob@1:b'], undefined],
    ['unknown without managed fields', undefined, [], undefined],
  ])('is %s', (_what, before, after, manager) => {
    expect(changedBy(before && object(before), object(after))?.manager).toBe(manager)
  })

  test('comes with the time and the subresource of the write', () => {
    expect(changedBy(object(['a@1:a']), object(['a@1:a', 'bob/scale@2:b']))).toEqual({
      manager: 'bob',
      time: '2026-01-02T03:04:02Z',
      subresources: ['scale'],
    })
  })

  test('is unknown for a deletion, which nobody sets fields for', () => {
    const time = '2026-01-02T03:04:09Z'
    expect(changedBy(object(['alice@1:a']), object(['alice@1:a'], time))).toBeUndefined()
  })
})

test('digests of field sets are made once', () => {
  const once = object(['alice@1:a', 'bob@2:b'])
  expect(withFieldDigests(once)).toEqual(once)
  expect(JSON.stringify(once)).not.toContain('f:a')
})
