import { describe, expect, test } from 'vitest'
import { namedRun } from './run-name.ts'

describe('a run in an argument', () => {
  test.each([
    { given: 'first', kind: 'AgentRun', name: 'first' },
    { given: 'run/first', kind: 'AgentRun', name: 'first' },
    { given: 'agentrun.agents.proompteng.ai/first', kind: 'AgentRun', name: 'first' },
    { given: 'toolrun/build', kind: 'ToolRun', name: 'build' },
    { given: 'tr/build', kind: 'ToolRun', name: 'build' },
  ])('$given is $kind $name', ({ given, kind, name }) => {
    const found = namedRun(given)
    expect([found.of.kind.kind, found.name]).toEqual([kind, name])
  })

  test.each(['agent/coder', 'toolrun/', 'nothing/x'])('%s is refused', (given) => {
    expect(() => namedRun(given)).toThrow('is not a run: use its name, run/NAME or toolrun/NAME')
  })
})
