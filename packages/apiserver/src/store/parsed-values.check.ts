import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ParsedValues, parsedSize } from './parsed-values.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function list(length: number, item: (index: number) => unknown): unknown[] {
  return Array.from({ length }, (_, index) => item(index))
}

test.each([
  { because: 'empty objects', value: list(40_000, () => ({})) },
  { because: 'empty lists', value: list(40_000, () => []) },
  { because: 'numbers', value: list(40_000, (n) => n) },
  { because: 'objects with a field', value: list(20_000, (n) => ({ name: `p${n}`, weight: n })) },
  { because: 'many keys', value: Object.fromEntries(list(20_000, (n) => [`k${n}`, 'x']) as never) },
])('the estimate is not far below the memory that $because take', ({ value }) => {
  const json = Buffer.from(JSON.stringify(value))
  const text = json.toString()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const parsed = list(10, () => JSON.parse(text))
  collectGarbage()
  const each = (process.memoryUsage().heapUsed - before) / parsed.length
  expect(parsedSize(json)).toBeGreaterThan(each / 2)
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
