import { expect, test } from 'vitest'
import { type PlacedRow, placeRows } from './place-rows.ts'

const first: readonly PlacedRow[] = [
  { element: 0, item: 'a' },
  { element: 1, item: 'b' },
  { element: 2, item: 'c' },
]

test('rows get elements in their order', () => {
  expect(placeRows([], ['a', 'b', 'c'], false)).toEqual(first)
})

test('while the list is scrolled, elements stay where they are, and show what comes', () => {
  expect(placeRows(first, ['b', 'c', 'd'], false)).toEqual([
    { element: 0, item: 'd' },
    { element: 1, item: 'b' },
    { element: 2, item: 'c' },
  ])
})

test('at rest, the document has the order of the items, and each keeps its element', () => {
  const scrolled = placeRows(first, ['b', 'c', 'd'], false)
  expect(placeRows(scrolled, ['b', 'c', 'd'], true)).toEqual([
    { element: 1, item: 'b' },
    { element: 2, item: 'c' },
    { element: 0, item: 'd' },
  ])
})

test('a list that grows gets elements, and one that shrinks loses them', () => {
  const grown = placeRows(first, ['a', 'b', 'c', 'd'], false)
  expect(grown.at(-1)).toEqual({ element: 3, item: 'd' })
  expect(placeRows(grown, ['d'], false)).toEqual([{ element: 3, item: 'd' }])
  expect(placeRows(grown, ['e'], false)).toEqual([{ element: 0, item: 'e' }])
})

test('a new run at the top takes no element of a run that is still shown', () => {
  expect(placeRows(first, ['new', 'a', 'b'], true)).toEqual([
    { element: 2, item: 'new' },
    { element: 0, item: 'a' },
    { element: 1, item: 'b' },
  ])
})
