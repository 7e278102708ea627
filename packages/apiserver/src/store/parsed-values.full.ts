import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { parsedSize } from './parsed-values.ts'

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
