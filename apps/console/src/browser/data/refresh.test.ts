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
