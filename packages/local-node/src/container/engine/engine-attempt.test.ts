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

/** An engine that returns these results in order, and then repeats the last one. */
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

describe('the outcome of a container', () => {
  const outOfMemory = { kind: 'ended', exitCode: 137, reason: 'OOMKilled' }

  test.each([
    {
      because: 'it ended, and is removed',
      states: [ended],
      removals: [undefined],
      outcome: outOfMemory,
    },
    {
      because: 'the engine was unavailable for a moment',
      states: [down, ended],
      removals: [undefined],
      outcome: outOfMemory,
    },
    {
      because: 'it was removed by an attempt that the engine reported as failed',
      states: [ended, undefined],
      removals: [down, undefined],
      outcome: outOfMemory,
    },
    {
      because: 'it cannot be removed, but its exit code is known',
      states: [ended],
      removals: [down],
      outcome: outOfMemory,
    },
    {
      because: 'the engine is unavailable',
      states: [down],
      removals: [undefined],
      outcome: { kind: 'unknown' },
    },
    {
      because: 'it does not exist',
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
      because: 'only the engine command has ended, so the outcome is unknown',
      states: [{ ...ended, isRunning: true }],
      removals: [undefined],
      outcome: { kind: 'unknown' },
    },
  ])('$because', async ({ states, removals, outcome }) => {
    expect(await attemptIn(states, removals).conclude()).toEqual(outcome)
  })
})
