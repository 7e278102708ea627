import { expect, test } from 'vitest'
import { FairSlots } from './fair-slots.ts'

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  return Promise.withResolvers<void>()
}

function settled() {
  return new Promise((resolve) => setImmediate(resolve))
}

test('a group that never ends leaves slots for the others', async () => {
  const slots = new FairSlots({ total: 4, perGroup: 2 })
  const stuck = deferred()
  const started: string[] = []
  const slow = Array.from({ length: 10 }, (_, index) =>
    slots.run('slow', async () => {
      started.push(`slow-${index}`)
      await stuck.promise
    }),
  )
  await slots.run('quick', async () => started.push('quick'))
  expect(started).toEqual(['slow-0', 'slow-1', 'quick'])
  stuck.resolve()
  await Promise.all(slow)
  expect(started).toHaveLength(11)
})

test('all groups together stay within the total', async () => {
  const slots = new FairSlots({ total: 3, perGroup: 2 })
  const gate = deferred()
  let running = 0
  let most = 0
  const tasks = Array.from({ length: 12 }, (_, index) =>
    slots.run(`group-${index % 4}`, async () => {
      running += 1
      most = Math.max(most, running)
      await gate.promise
      await settled()
      running -= 1
    }),
  )
  await settled()
  expect(running).toBe(3)
  gate.resolve()
  await Promise.all(tasks)
  expect(most).toBe(3)
})

test('a task that fails frees its slot', async () => {
  const slots = new FairSlots({ total: 1, perGroup: 1 })
  const failure = new Error('refused')
  await expect(slots.run('a', () => Promise.reject(failure))).rejects.toBe(failure)
  expect(await slots.run('a', async () => 'next')).toBe('next')
})
