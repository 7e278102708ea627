import type { AgentRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { duplicateProblem } from './duplicate.ts'
import type { ResolutionPorts } from './resolution.ts'
import { resolveWork } from './resolve-work.ts'
import { runClaims } from './run-claims.ts'
import { runOf, unheard, world } from './testing/world.ts'

const yes = (...types: string[]) => ({
  conditions: types.map((type) => ({ type, status: 'True', reason: type, message: '' })),
})
const duplicate = {
  conditions: [{ type: 'Accepted', status: 'False', reason: 'DuplicateIdempotencyKey' }],
}
const asks = (name: string, status: object = {}, second = 0): AgentRun =>
  runOf(
    { idempotencyKey: 'k' },
    { metadata: { name, uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z` }, status },
  )

describe('of two runs that ask for the same', () => {
  test.each([
    {
      because: 'the older has it, whichever was seen first',
      seen: [asks('b', {}, 1), asks('a', {}, 0)],
      refused: ['b'],
    },
    {
      because: 'within a second, the one that was seen first may be at work already',
      seen: [asks('z'), asks('a')],
      refused: ['a'],
    },
    {
      because: 'who was accepted keeps it, though a restart has forgotten who came first',
      seen: [asks('a'), asks('z', yes('Accepted'))],
      refused: ['a'],
    },
    {
      because: 'who was refused for it, and has ended, does not have it',
      seen: [asks('a', duplicate), asks('z')],
      refused: [],
    },
    {
      because:
        'who is at work has it, though an older one was accepted too and waits for its place',
      seen: [asks('a', yes('Accepted')), asks('z', yes('Accepted', 'Admitted'), 1)],
      refused: ['a'],
    },
    {
      because: 'who has finished has had it',
      seen: [asks('a', yes('Accepted', 'Admitted', 'Finished'), 1), asks('z', {}, 0)],
      refused: ['z'],
    },
  ])('$because', ({ seen, refused }) => {
    const ports = world(seen)
    const isRefused = (run: AgentRun): boolean => duplicateProblem(run, ports) !== undefined
    expect(seen.filter(isRefused).map(({ metadata }) => metadata.name)).toEqual(refused)
  })
})

describe('who was found to have the key', () => {
  const first = asks('first', {}, 1)
  const second = asks('second', {}, 0)
  const answers = (ports: ResolutionPorts, ...runs: AgentRun[]) =>
    runs.map((run) => resolveWork(run, undefined, ports).kind)

  test('keeps it from one that comes before the status says so, with the time of a clock that is behind', () => {
    const claims = runClaims(unheard)
    expect(answers({ ...world([first]), claims }, first)).toEqual(['resolved'])
    const both = { ...world([first, second]), claims }
    expect(answers(both, second, first)).toEqual(['refused', 'resolved'])
  })

  test('does not keep it while it waits for something', () => {
    const claims = runClaims(unheard)
    const waits = { ...first, spec: { ...first.spec, secrets: ['absent'] } }
    expect(answers({ ...world([waits]), claims }, waits)).toEqual(['waiting'])
    const both = { ...world([waits, second]), claims }
    expect(answers(both, second, waits)).toEqual(['resolved', 'refused'])
  })
})
