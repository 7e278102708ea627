import { describe, expect, test } from 'vitest'
import { createCompactor, deepFreeze } from './compact.ts'
import { heapSize } from './heap-size.ts'

function object(manager: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'x',
      labels: { app: `a text of some length of ${manager}` },
      managedFields: [{ manager }],
    },
    spec: { list: ['a text of some length', 5n, null, true] },
  }
}

describe('a compactor', () => {
  test('removes managedFields and changes nothing else', () => {
    const { managedFields: _, ...metadata } = object('m').metadata
    expect(createCompactor().compact(object('m'))).toStrictEqual({ ...object('m'), metadata })
    const kept = createCompactor({ keepManagedFields: true }).compact(object('m'))
    expect(kept).toStrictEqual(object('m'))
  })

  test('drops strings that it has not seen for long', () => {
    const compactor = createCompactor()
    for (let n = 0; n < 20_000; n++) compactor.compact(object(`manager-${n}`))
    expect(compactor.compact(object('manager-0')).metadata.labels).toEqual(
      object('manager-0').metadata.labels,
    )
  })
})

test('a frozen object rejects changes at every depth', () => {
  const frozen = deepFreeze(object('m'))
  expect(() => frozen.spec.list.push('x')).toThrow(TypeError)
  expect(() => {
    frozen.metadata.labels.app = 'x'
  }).toThrow(TypeError)
})

test('the size of an object counts shared strings once', () => {
  const counted = new Set<string>()
  const first = heapSize(object('m'), counted)
  const second = heapSize(object('m'), counted)
  expect(first).toBeGreaterThan(JSON.stringify({ ...object('m'), spec: {} }).length)
  expect(second).toBeLessThan(first)
  expect(second).toBeGreaterThan(0)
})
