import { expect, test } from 'vitest'
import { placeSteps } from './layout.ts'

function place(steps: Record<string, string[]>): Record<string, string> {
  const list = Object.entries(steps).map(([name, dependsOn]) => ({ name, dependsOn }))
  return Object.fromEntries(
    placeSteps(list).map(({ name, column, row }) => [name, `${column},${row}`]),
  )
}

test.each([
  {
    because: 'a row',
    steps: { a: [], b: ['a'], c: ['b'] },
    places: { a: '0,0', b: '1,0', c: '2,0' },
  },
  {
    because: 'a diamond',
    steps: { d: ['b', 'c'], a: [], b: ['a'], c: ['a'] },
    places: { a: '0,0', b: '1,0', c: '1,1', d: '2,0' },
  },
  { because: 'a step that is missing', steps: { a: ['gone'] }, places: { a: '0,0' } },
  { because: 'a step that waits for itself', steps: { a: ['a'] }, places: { a: '0,0' } },
])('placeSteps: $because', ({ steps, places }) => {
  expect(place(steps)).toEqual(places)
})

test('placeSteps places a circle and a long row without end', () => {
  expect(Object.keys(place({ a: ['b'], b: ['a'] }))).toEqual(['a', 'b'])
  const row = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`s${at}`, at === 0 ? [] : [`s${at - 1}`]]),
  )
  expect(place(row).s499).toBe('499,0')
})
