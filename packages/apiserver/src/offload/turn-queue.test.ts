import { expect, test } from 'vitest'
import { TurnQueue } from './turn-queue.ts'

test('runs one request at a time and alternates between users', async () => {
  const queue = new TurnQueue()
  const order: string[] = []
  const waits = ['greedy', 'greedy', 'greedy', 'modest'].map((user) =>
    queue.wait(user)?.then(() => order.push(user)),
  )
  for (let turns = 1; turns <= waits.length; turns++) {
    await new Promise(setImmediate)
    expect(order).toHaveLength(turns)
    queue.release()
  }
  expect(order).toEqual(['greedy', 'modest', 'greedy', 'greedy'])
})

test('limits the requests of one user', () => {
  const queue = new TurnQueue()
  const taken = Array.from({ length: 100 }, () => queue.wait('greedy')).filter((turn) => turn)
  expect(taken.length).toBeLessThan(100)
  expect(queue.wait('modest')).toBeDefined()
})

test('evicts a request of the user with the most waiting when the queue is full', async () => {
  const queue = new TurnQueue()
  let evicted = 0
  for (let n = 0; n < 100; n++) {
    void queue.wait(`attacker-${n % 5}`)?.then((isTurn) => {
      if (!isTurn) evicted++
    })
  }
  let isAdminsTurn: boolean | undefined
  void queue.wait('admin')?.then((isTurn) => {
    isAdminsTurn = isTurn
  })
  // After each user without a turn has had one.
  for (let turns = 0; turns < 5; turns++) {
    queue.release()
    await new Promise(setImmediate)
  }
  expect({ isAdminsTurn, evicted }).toEqual({ isAdminsTurn: true, evicted: 1 })
})

test('prefers the user that has used less time, which decays', async () => {
  let now = 0
  const queue = new TurnQueue(() => now)
  const order: string[] = []
  const enter = (user: string) => void queue.wait(user)?.then(() => order.push(user))
  enter('slow')
  for (const user of ['slow', 'quick', 'slow', 'quick']) enter(user)
  for (const took of [10_000, 10, 10, 10_000]) {
    now += took
    queue.release()
    await new Promise(setImmediate)
  }
  expect(order).toEqual(['slow', 'quick', 'quick', 'slow', 'slow'])
})

test('skips requests whose client has disconnected', async () => {
  const queue = new TurnQueue()
  let isGone = false
  await queue.wait('a')
  const left = queue.wait('b', () => isGone)
  const stayed = queue.wait('c')
  isGone = true
  queue.release()
  expect(await left).toBe(false)
  expect(await stayed).toBe(true)
})
