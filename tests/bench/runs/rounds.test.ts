import { expect, test } from 'vitest'
import { alternate, together } from './rounds.ts'

test('every second round is measured in the other order', async () => {
  const order: string[] = []
  const side = (name: string) => async () => order.push(name)
  const seen: number[][] = []
  const results = await alternate(3, side('a'), side('b'), (...round) => seen.push(round))
  expect(order).toEqual(['a', 'b', 'b', 'a', 'a', 'b'])
  expect(results).toEqual({ ofFirst: [1, 4, 5], ofSecond: [2, 3, 6] })
  expect(seen).toEqual([
    [1, 1, 2],
    [2, 4, 3],
    [3, 5, 6],
  ])
})

test('rounds are added up, also for a program that only some of them had', () => {
  const first = { count: 100, of: { wallMs: 1_000, times: { server: 500 } } }
  const second = { count: 50, of: { wallMs: 700, times: { server: 300, node: 20 } } }
  expect(together([first, second])).toEqual({
    count: 150,
    of: { wallMs: 1_700, times: { server: 800, node: 20 } },
  })
})
