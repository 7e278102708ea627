import { stat } from 'node:fs'
import { expect, test } from 'vitest'
import { createPacer } from './pacer.ts'

test('a loop that began while sockets are read rests until they have been read again', async () => {
  const wasReadAgain = await new Promise<boolean>((resolve) => {
    // Called in the phase of the event loop that reads from sockets.
    stat(import.meta.filename, async () => {
      let isNextTurn = false
      setImmediate(() => setImmediate(() => (isNextTurn = true)))
      await createPacer().rest()
      resolve(isNextTurn)
    })
  })
  expect(wasReadAgain).toBe(true)
})

test('a large item is a reason to look at the clock', () => {
  const pace = createPacer()
  const end = performance.now() + 10
  while (performance.now() < end);
  expect(pace.isDue(10)).toBe(false)
  expect(pace.isDue(100_000)).toBe(true)
})
