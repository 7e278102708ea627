import { expect, test } from 'vitest'
import { runInLanes } from './lanes.ts'

interface Item {
  readonly name: string
  readonly alone?: boolean
}

/** Runs the items, and ends the item that started last whenever all lanes are waiting. */
async function record(items: readonly Item[], lanes: number): Promise<string[]> {
  const events: string[] = []
  const ends: (() => void)[] = []
  const running = runInLanes(items, lanes, async ({ name }) => {
    events.push(`+${name}`)
    await new Promise<void>((resolve) => ends.push(resolve))
    events.push(`-${name}`)
  })
  for (const _ of items) {
    ends.pop()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await running
  return events
}

test('a lane takes the next item as soon as it is free', async () => {
  const items = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  expect(await record(items, 2)).toEqual(['+a', '+b', '-b', '+c', '-c', '-a'])
})

test('an item that must run alone runs after all others, wherever it is listed', async () => {
  const items = [{ name: 'a', alone: true }, { name: 'b' }, { name: 'c', alone: true }]
  expect(await record(items, 2)).toEqual(['+b', '-b', '+a', '-a', '+c', '-c'])
})

test('one lane runs one item at a time', async () => {
  expect(await record([{ name: 'a' }, { name: 'b' }], 1)).toEqual(['+a', '-a', '+b', '-b'])
})
