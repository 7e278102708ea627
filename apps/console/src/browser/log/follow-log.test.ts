import { expect, test } from 'vitest'
import { inSlices, sliceCharacters } from './follow-log.ts'

async function* pieces(...all: string[]): AsyncGenerator<string, void> {
  yield* all
}

test.each([
  { because: 'one large piece', sizes: [sliceCharacters * 10 + 1] },
  { because: 'many small pieces', sizes: Array.from({ length: 1000 }, () => 1500) },
  { because: 'pieces as large as a slice', sizes: [sliceCharacters, sliceCharacters] },
])('the page may do something else between the slices of $because', async ({ sizes }) => {
  const text = sizes.map((size, index) => String(index % 10).repeat(size))
  let read = ''
  let inTask = 0
  let most = 0
  const task = (): void => {
    inTask = 0
    timer = setTimeout(task, 0)
  }
  let timer = setTimeout(task, 0)
  for await (const slice of inSlices(pieces(...text))) {
    read += slice
    inTask += slice.length
    most = Math.max(most, inTask)
  }
  clearTimeout(timer)
  expect(read).toBe(text.join(''))
  expect(most).toBeLessThanOrEqual(sliceCharacters)
})
