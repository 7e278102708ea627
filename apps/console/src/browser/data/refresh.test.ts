import { expect, test } from 'vitest'
import { pauseAfter } from './pause-after.ts'
import { Refresh } from './refresh.ts'

/** Time that passes when a test says so. */
function handMoved() {
  const state = { now: 0 }
  const pauses: { readonly ms: number; readonly end: () => void }[] = []
  const time = {
    elapsed: () => state.now,
    pause: (ms: number) => new Promise<void>((resolve) => pauses.push({ ms, end: resolve })),
  }
  return { state, pauses, time }
}

test('changes during a reading are read once more, and no reading is cut', async () => {
  const { pauses, time } = handMoved()
  const begun: string[] = []
  const ended: string[] = []
  let finish: () => void = () => undefined
  const refresh = new Refresh(async (what) => {
    begun.push(what)
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    ended.push(what)
  }, time)
  for (let change = 0; change < 100; change += 1) refresh.note('agents')
  expect(begun).toEqual(['agents'])
  finish()
  await expect.poll(() => pauses.length).toBe(1)
  expect([begun.length, ended.length]).toEqual([1, 1])
  pauses[0]?.end()
  await expect.poll(() => begun.length).toBe(2)
  expect(ended).toHaveLength(1)
  finish()
  await expect.poll(() => pauses.length).toBe(2)
  // Nothing has changed since.
  pauses[1]?.end()
  refresh.note('runs')
  await expect.poll(() => begun).toEqual(['agents', 'agents', 'runs'])
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
  const { state, pauses, time } = handMoved()
  let tookMs = 0
  const refresh = new Refresh(async () => {
    state.now += tookMs
  }, time)
  for (const ms of [1, 2_000]) {
    tookMs = ms
    const at = pauses.length
    refresh.note('agents')
    await expect.poll(() => pauses.length).toBe(at + 1)
    expect(pauses[at]?.ms).toBe(pauseAfter(ms, false))
    pauses[at]?.end()
    await expect.poll(() => state.now).toBeGreaterThan(0)
  }
  // One reading, and four times as long without one.
  expect(pauses.map(({ ms }) => ms)).toEqual([500, 8_000])
})
