import { describe, expect, test } from 'vitest'
import { drawGraph, type ShownStep } from './draw-graph.ts'

function steps(graph: Readonly<Record<string, readonly string[]>>): ShownStep[] {
  return Object.entries(graph).map(([name, dependsOn]) => ({ name, kind: 'Checkpoint', dependsOn }))
}

function names(shown: readonly ShownStep[]): string[] {
  return drawGraph(shown).map((line) => line.replace(/ {2}Checkpoint/, ''))
}

describe('the drawing of a graph', () => {
  test('shows a sequence as lines, and branches below what they follow', () => {
    const graph = {
      plan: [],
      fix: ['plan'],
      test: ['fix'],
      review: ['fix'],
      merge: ['review', 'test'],
    }
    expect(names(steps(graph))).toEqual([
      'plan',
      'fix',
      '├─ test',
      '└─ review',
      '   merge  also after test',
    ])
  })

  test('shows steps that start at once beside each other, and where each continues', () => {
    const graph = { a: [], b: ['a'], c: ['b'], d: [] }
    expect(names(steps(graph))).toEqual(['├─ a', '│  b', '│  c', '└─ d'])
  })

  test('is not wider for a longer sequence', () => {
    const chain = Array.from({ length: 500 }, (_, index) => [
      `s${index}`,
      index === 0 ? [] : [`s${index - 1}`],
    ])
    const lines = names(steps(Object.fromEntries(chain)))
    expect(lines).toHaveLength(500)
    expect(lines.at(-1)).toBe('s499')
  })

  test('hangs a step below the dependency that comes last', () => {
    const graph = { a: [], b: ['a'], c: ['a'], d: ['c'], e: ['b', 'd'] }
    expect(names(steps(graph))).toEqual(['a', '├─ b', '└─ c', '   d', '   e  also after b'])
  })

  test('shows finally steps at the end', () => {
    const shown = [...steps({ a: [] }), { name: 'clean', kind: 'Checkpoint', finally: true }]
    expect(names(shown)).toEqual(['a', 'finally', '└─ clean'])
  })

  test('shows every step of an invalid graph, each once', () => {
    const graph = { a: ['b'], b: ['a'], c: ['gone'], d: ['d'] }
    expect(names(steps(graph))).toEqual([
      '├─ c  also after gone',
      '├─ a  also after b',
      '├─ b  also after a',
      '└─ d  also after d',
    ])
  })

  test('says what a step does, when, how often, and what became of it', () => {
    expect(
      drawGraph([
        {
          name: 'fix',
          kind: 'AgentRun',
          refers: 'coder',
          when: "parameters.stage == 'live'",
          forEach: 'steps.plan.outputs.files',
          runAfter: 'Finished',
          status: {
            phase: 'Failed',
            reason: 'LoopLimit',
            message: 'too many',
            items: '1 of 2 items',
          },
        },
      ]),
    ).toEqual([
      "fix  Failed  AgentRun coder  1 of 2 items  for each of steps.plan.outputs.files  if parameters.stage == 'live'  whatever became of its dependencies  LoopLimit: too many",
    ])
  })
})
