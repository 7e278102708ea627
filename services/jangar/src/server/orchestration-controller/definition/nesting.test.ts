import type { Orchestration } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { nestingOf } from './nesting.ts'

/** `{ a: ['b'] }`: the Orchestration a runs b. */
function nesting(graph: Readonly<Record<string, readonly string[]>>, start = 'a') {
  const find = (name: string): Orchestration | undefined => {
    const steps = graph[name]?.map((inner) => ({
      name: inner,
      kind: 'SubOrchestration',
      orchestrationRef: { name: inner },
    }))
    return steps && ({ metadata: { name }, spec: { steps } } as unknown as Orchestration)
  }
  return nestingOf(find(start) as Orchestration, find)
}

function chain(length: number): Record<string, string[]> {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `o${index}`,
      index + 1 < length ? [`o${index + 1}`] : [],
    ]),
  )
}

describe('the nesting of Orchestrations', () => {
  test.each([
    { graph: { a: ['a'] }, names: ['a', 'a'], because: 'it runs itself' },
    { graph: { a: ['b'], b: ['a'] }, names: ['a', 'b', 'a'], because: 'two run each other' },
    {
      graph: { a: ['c', 'b'], b: ['d'], c: [], d: ['b'] },
      names: ['a', 'b', 'd', 'b'],
      because: 'a circle is below it',
    },
  ])('is circular: $because', ({ graph, names }) => {
    expect(nesting(graph)).toEqual({ kind: 'circular', names })
  })

  test('is finite if one is run by several others, or does not exist', () => {
    expect(nesting({ a: ['b', 'c'], b: ['d'], c: ['d', 'gone'], d: [] })).toEqual({
      kind: 'finite',
    })
  })

  test('has at most ten levels', () => {
    expect(nesting(chain(10), 'o0')).toEqual({ kind: 'finite' })
    expect(nesting(chain(11), 'o0')).toMatchObject({ kind: 'tooDeep', names: { length: 11 } })
    // A level that was measured from below counts again from above.
    const graph = { ...chain(9), a: ['o1', 'b'], b: ['c'], c: ['o0'] }
    expect(nesting(graph)).toMatchObject({ kind: 'tooDeep' })
  })

  test('is measured once for each, however many paths lead to it', () => {
    const layers = Array.from({ length: 9 }, (_, layer) =>
      Array.from({ length: 30 }, (_, index) => `l${layer}-${index}`),
    )
    const graph = Object.fromEntries([
      ['a', layers[0] ?? []],
      ...layers.flatMap((names, layer) => names.map((name) => [name, layers[layer + 1] ?? []])),
    ])
    expect(nesting(graph)).toEqual({ kind: 'finite' })
  })
})
