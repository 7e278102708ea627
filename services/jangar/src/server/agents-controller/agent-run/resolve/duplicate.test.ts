import type { AgentRun } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { runClaims } from '../../../kubernetes/run-claims.ts'
import { duplicateProblem } from './duplicate.ts'
import type { ResolutionPorts } from './resolution.ts'
import { resolveWork } from './resolve-work.ts'
import { portsWith, runOf, unheard } from './testing/resolution-fixture.ts'

function yes(...types: string[]) {
  return {
    conditions: types.map((type) => ({ type, status: 'True', reason: type, message: '' })),
  }
}

const duplicate = {
  conditions: [{ type: 'Accepted', status: 'False', reason: 'DuplicateIdempotencyKey' }],
}

function asks(name: string, status: object = {}, second = 0): AgentRun {
  return runOf(
    { idempotencyKey: 'k' },
    { metadata: { name, uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z` }, status },
  )
}

describe('of two runs with the same idempotency key', () => {
  test.each([
    {
      because: 'the older run owns the key, whichever the cache saw first',
      seen: [asks('b', {}, 1), asks('a', {}, 0)],
      refused: ['b'],
    },
    {
      because: 'of runs created within a second, the one that the cache saw first owns the key',
      seen: [asks('z'), asks('a')],
      refused: ['a'],
    },
    {
      because:
        'the accepted run keeps the key after a restart, although the order of arrival is lost',
      seen: [asks('a'), asks('z', yes('Accepted'))],
      refused: ['a'],
    },
    {
      because: 'a run that was refused as a duplicate does not own the key',
      seen: [asks('a', duplicate), asks('z')],
      refused: [],
    },
    {
      because: 'the admitted run owns the key, although an older run was accepted and is queued',
      seen: [asks('a', yes('Accepted')), asks('z', yes('Accepted', 'Admitted'), 1)],
      refused: ['a'],
    },
    {
      because: 'a finished run still owns the key',
      seen: [asks('a', yes('Accepted', 'Admitted', 'Finished'), 1), asks('z', {}, 0)],
      refused: ['z'],
    },
  ])('$because', ({ seen, refused }) => {
    const ports = portsWith(seen)
    const isRefused = (run: AgentRun): boolean => duplicateProblem(run, ports) !== undefined
    expect(seen.filter(isRefused).map(({ metadata }) => metadata.name)).toEqual(refused)
  })
})

describe('the run that claimed the key', () => {
  const first = asks('first', {}, 1)
  const second = asks('second', {}, 0)
  const answers = (ports: ResolutionPorts, ...runs: AgentRun[]) =>
    runs.map((run) => resolveWork(run, undefined, ports).kind)

  test('keeps it from a run with an earlier timestamp before its own status is in the cache', () => {
    const claims = runClaims(unheard)
    expect(answers({ ...portsWith([first]), claims }, first)).toEqual(['resolved'])
    const both = { ...portsWith([first, second]), claims }
    expect(answers(both, second, first)).toEqual(['refused', 'resolved'])
  })

  test('releases it while it waits for a dependency', () => {
    const claims = runClaims(unheard)
    const waits = { ...first, spec: { ...first.spec, secrets: ['absent'] } }
    expect(answers({ ...portsWith([waits]), claims }, waits)).toEqual(['waiting'])
    const both = { ...portsWith([waits, second]), claims }
    expect(answers(both, second, waits)).toEqual(['resolved', 'refused'])
  })
})
