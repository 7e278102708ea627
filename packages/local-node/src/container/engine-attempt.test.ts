import { type Clock, systemClock } from '@agents/controller'
import { describe, expect, test } from 'vitest'
import { type ContainerEngine, EngineError, type EngineState } from './engine.ts'
import { EngineAttempt } from './engine-attempt.ts'

const clock: Clock = { ...systemClock, after: (_ms, action) => systemClock.after(0, action) }

const ended: EngineState = {
  hasStarted: true,
  isRunning: false,
  exitCode: 137,
  isOutOfMemory: true,
}
const down = new EngineError('the engine does not answer')

/** An engine that gives these answers, one after the other, the last of them for ever. */
function attemptIn(states: (EngineState | undefined | Error)[], removals: (Error | undefined)[]) {
  const next = <A>(answers: A[]): A | undefined =>
    answers.length > 1 ? answers.shift() : answers[0]
  const answer = async <A>(answers: (A | Error)[]): Promise<A | undefined> => {
    const one = next(answers)
    if (one instanceof Error) throw one
    return one
  }
  const engine = { state: () => answer(states), remove: () => answer(removals) }
  return new EngineAttempt(engine as unknown as ContainerEngine, 'name', undefined, clock)
}

describe('what became of a container', () => {
  const outOfMemory = { kind: 'ended', exitCode: 137, reason: 'OOMKilled' }

  test.each([
    {
      because: 'it ended, and is taken away',
      states: [ended],
      removals: [undefined],
      outcome: outOfMemory,
    },
    {
      because: 'the engine was away for a moment',
      states: [down, ended],
      removals: [undefined],
      outcome: outOfMemory,
    },
    {
      because: 'it was taken away by a try that the engine said had failed',
      states: [ended, undefined],
      removals: [down, undefined],
      outcome: outOfMemory,
    },
    {
      because: 'it cannot be taken away, but its end is known',
      states: [ended],
      removals: [down],
      outcome: outOfMemory,
    },
    {
      because: 'the engine cannot be asked at all',
      states: [down],
      removals: [undefined],
      outcome: { kind: 'unknown' },
    },
    {
      because: 'there is none',
      states: [undefined],
      removals: [undefined],
      outcome: { kind: 'gone' },
    },
    {
      because: 'its program could not be started',
      states: [{ ...ended, hasStarted: false }],
      removals: [undefined],
      outcome: { kind: 'never ran' },
    },
    {
      because: 'only its messenger has ended, so nobody knows what would have become of it',
      states: [{ ...ended, isRunning: true }],
      removals: [undefined],
      outcome: { kind: 'unknown' },
    },
  ])('$because', async ({ states, removals, outcome }) => {
    expect(await attemptIn(states, removals).conclude()).toEqual(outcome)
  })
})
