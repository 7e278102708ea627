import { expect, test } from 'vitest'
import { Refresh } from './refresh.ts'

test('changes during a reading are read once more, and no reading is cut', async () => {
  const read: string[] = []
  let running = 0
  const refresh = new Refresh(async (what) => {
    running += 1
    expect(running).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    read.push(what)
    running -= 1
  })
  for (let change = 0; change < 100; change += 1) refresh.note('agents')
  await expect.poll(() => read.length).toBe(1)
  refresh.note('agents')
  await expect.poll(() => read).toEqual(['agents', 'agents'])
})

test('a reading that fails does not end the readings', async () => {
  let count = 0
  const refresh = new Refresh(() => {
    count += 1
    return Promise.reject(new Error('lost'))
  })
  refresh.note('agents')
  await expect.poll(() => count).toBe(1)
  refresh.note('agents')
  await expect.poll(() => count).toBe(2)
})

test('what takes long to read is read less often', async () => {
  const began: number[] = []
  const refresh = new Refresh(async () => {
    began.push(performance.now())
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  const changes = setInterval(() => refresh.note('agents'), 10)
  await expect.poll(() => began.length, { timeout: 10_000 }).toBe(2)
  clearInterval(changes)
  const [first = 0, second = 0] = began
  // One reading, and four times as long without one.
  expect(second - first).toBeGreaterThan(900)
})
