import { expect, test } from 'vitest'
import { ParsedValues, parsedSize } from './parsed-values.ts'

function list(length: number, item: (index: number) => unknown): unknown[] {
  return Array.from({ length }, (_, index) => item(index))
}

// A full run compares the estimate with the memory that values take: 56 bytes for an empty object.
test.each([
  { because: 'empty objects', value: list(40_000, () => ({})) },
  { because: 'empty lists', value: list(40_000, () => []) },
])('the estimate counts $because', ({ value }) => {
  expect(parsedSize(Buffer.from(JSON.stringify(value)))).toBeGreaterThan(40_000 * 56)
})

/** Entries that record the order in which their values are dropped. */
function recorder() {
  const dropped: string[] = []
  const item = (name: string, value: unknown) => ({
    json: Buffer.from(JSON.stringify(value)),
    forget: () => void dropped.push(name),
  })
  return { dropped, item }
}

test('values of many small parts are dropped before those of long texts', () => {
  const { dropped, item } = recorder()
  const values = new ParsedValues(100_000)
  values.add(item('text', 'x'.repeat(50_000)))
  values.add(item('short', 'x'))
  expect(dropped).toEqual([])
  values.add(
    item(
      'parts',
      list(800, () => ({})),
    ),
  )
  expect(dropped).toEqual(['text'])
})

test('large values displace only each other, and the newest four stay', () => {
  const { dropped, item } = recorder()
  const values = new ParsedValues(24 * 1024 * 1024)
  values.add(item('small', {}))
  const parts = list(60_000, () => ({}))
  for (const name of ['1', '2', '3', '4', '5', '6']) values.add(item(name, parts))
  expect(dropped).toEqual(['1', '2'])
})
