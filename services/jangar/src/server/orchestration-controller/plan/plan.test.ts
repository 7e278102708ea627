import { describe, expect, test } from 'vitest'
import type { StepState } from './plan-states.ts'
import { planned, step, TestRun } from './testing/test-run.ts'

describe('the order of steps', () => {
  test('a step starts when all that it depends on have succeeded', () => {
    const run = new TestRun([step('a'), step('b'), step('c', { dependsOn: ['a', 'b'] })])
    expect(run.pass().created).toEqual(['a-1', 'b-1'])
    run.end('a-1')
    expect(run.pass().created).toEqual([])
    run.end('b-1')
    expect(run.pass().created).toEqual(['c-1'])
    run.end('c-1')
    expect(run.pass().outcome?.kind).toBe('succeeded')
  })

  test('a step gets the outputs of those before it', () => {
    const run = new TestRun([step('a'), step('b', { dependsOn: ['a'] })])
    run.pass()
    run.end('a-1', { kind: 'succeeded', outputs: { branch: 'x' } })
    expect(run.pass().plan.create[0]?.inputs).toMatchObject({ upstream: { a: { branch: 'x' } } })
  })

  test('what depends on a failed step is skipped, and says why', () => {
    const steps = [step('a'), step('b', { dependsOn: ['a'] }), step('c', { dependsOn: ['b'] })]
    const run = new TestRun(steps, { failFast: false })
    run.pass()
    run.end('a-1', { kind: 'failed', message: 'exit code 1' })
    const { states, outcome } = run.pass()
    expect(states.b).toMatchObject({ phase: 'Skipped', reason: 'DependencyFailed' })
    expect(states.b?.message).toBe('step a failed')
    expect(states.c).toMatchObject({ phase: 'Skipped', reason: 'DependencySkipped' })
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'StepFailed' })
    expect(outcome?.message).toBe('step a failed: exit code 1')
  })

  test('a step whose condition is false is skipped, and the run succeeds', () => {
    const run = new TestRun([step('a', { when: false }), step('b')])
    run.pass()
    run.end('b-1')
    const { states, outcome } = run.pass()
    expect(states.a).toMatchObject({ phase: 'Skipped', reason: 'ConditionFalse' })
    expect(outcome).toMatchObject({ kind: 'succeeded', message: 'all 2 steps ended, 1 skipped' })
  })

  test('a step that runs after Finished starts whatever became of its dependencies', () => {
    const run = new TestRun([step('a'), step('b', { dependsOn: ['a'], runAfter: 'Finished' })])
    run.pass()
    run.end('a-1', { kind: 'failed', message: 'no' })
    expect(run.pass().created).toEqual(['b-1'])
    run.end('b-1')
    expect(run.pass().outcome?.kind).toBe('failed')
  })
})

describe('an object with the name of a child', () => {
  const steps = [step('approve', { kind: 'ApprovalGate' }), step('b', { dependsOn: ['approve'] })]
  const forged = { kind: 'succeeded', outputs: { decision: 'Approved' } } as const

  test('does not count for the step if steps of its kind do not create such objects', () => {
    const run = new TestRun(steps)
    run.add('approve-1', 'approve', 'ToolRun')
    run.end('approve-1', forged)
    const { created, states } = run.pass()
    expect(created).toEqual(['approve-1'])
    expect(states.approve).toMatchObject({ phase: 'Running', reason: 'WaitingForApproval' })
  })

  test('does not let a step succeed that is running', () => {
    const run = new TestRun(steps)
    run.pass()
    run.add('approve-1', 'approve', 'ToolRun')
    run.end('approve-1', forged)
    const { states, created } = run.pass()
    expect(states.approve).toMatchObject({ phase: 'Failed' })
    expect(created).toEqual([])
  })

  test('is the one that a process created before it ended, if it is of the right kind', () => {
    const run = new TestRun(steps)
    run.add('approve-1', 'approve')
    run.end('approve-1', forged)
    expect(run.pass().created).toEqual(['b-1'])
  })
})

describe('a failure', () => {
  test('cancels the other branches, and the run ends when they have stopped', () => {
    const run = new TestRun([step('a'), step('b'), step('c', { dependsOn: ['b'] })])
    run.pass()
    run.end('a-1', { kind: 'failed', message: 'no' })
    const first = run.pass()
    expect(first.plan.cancel).toEqual(['b-1'])
    expect(first.states.b).toMatchObject({ phase: 'Running', reason: 'Cancelling' })
    expect(first.states.c).toMatchObject({ phase: 'Skipped', reason: 'RunFailed' })
    expect(first.outcome).toBeUndefined()
    run.end('b-1', { kind: 'cancelled', message: 'cancelled' })
    const { states, outcome } = run.pass()
    expect(states.b).toMatchObject({ phase: 'Cancelled', reason: 'RunFailed' })
    expect(outcome).toMatchObject({ kind: 'failed', message: 'step a failed: no' })
  })

  test('without failFast lets the others finish', () => {
    const steps = [step('a'), step('b'), step('c', { dependsOn: ['b'] })]
    const run = new TestRun(steps, { failFast: false })
    run.pass()
    run.end('a-1', { kind: 'failed', message: 'no' })
    expect(run.pass().plan.cancel).toEqual([])
    run.end('b-1')
    expect(run.pass().created).toEqual(['c-1'])
  })

  test('of a child that the server refuses is one of the step, and is not retried', () => {
    const run = new TestRun([step('a', { retries: 3 })])
    run.refuse('a-1', 'spec.agentRef: not found')
    const { states, outcome } = run.pass()
    expect(states.a).toMatchObject({ phase: 'Failed', reason: 'ChildRejected' })
    expect(outcome?.message).toBe('step a failed: spec.agentRef: not found')
  })

  test('to render a template is one of the step', () => {
    const { states } = new TestRun([step('a', { problem: 'no such path' })]).pass()
    expect(states.a).toMatchObject({ phase: 'Failed', reason: 'TemplateInvalid' })
  })
})

describe('retries', () => {
  test('each attempt has its own child and start, after the backoff', () => {
    const run = new TestRun([step('a', { retries: 1, retryBackoffSeconds: 10 })])
    run.pass()
    run.end('a-1', { kind: 'failed', message: 'no' })
    const failed = run.pass()
    expect(failed.states.a).toMatchObject({ phase: 'Retrying', reason: 'StepFailed' })
    expect(failed.plan.wakeAt).toBe(run.now + 10_000)
    run.now += 9999
    expect(run.pass().created).toEqual([])
    run.now += 1
    expect(run.pass().created).toEqual(['a-2'])
    expect(run.unit('a')).toMatchObject({ attempt: 2, startedAt: run.now })
    run.end('a-2', { kind: 'failed', message: 'again' })
    const { states } = run.pass()
    expect(states.a).toMatchObject({ phase: 'Failed', reason: 'RetriesExhausted' })
  })

  test('an attempt that takes too long is stopped, and gone before the next begins', () => {
    const run = new TestRun([step('a', { retries: 1, timeoutSeconds: 60 })])
    expect(run.pass().plan.wakeAt).toBe(run.now + 60_000)
    run.now += 60_000
    expect(run.pass().plan.cancel).toEqual(['a-1'])
    expect(run.pass()).toMatchObject({ created: [], plan: { cancel: [] } })
    run.end('a-1', { kind: 'cancelled', message: 'cancelled' })
    run.pass()
    expect(run.pass().states.a).toMatchObject({ phase: 'Running' })
    expect(run.unit('a')).toMatchObject({ attempt: 2, startedAt: run.now })
    run.now += 59_999
    expect(run.pass().plan.cancel).toEqual([])
    run.now += 1
    expect(run.pass().plan.cancel).toEqual(['a-2'])
    run.end('a-2', { kind: 'cancelled', message: 'cancelled' })
    expect(run.pass().outcome).toMatchObject({ kind: 'failed', reason: 'StepTimedOut' })
  })

  test('a child that somebody deleted is a failed attempt', () => {
    const run = new TestRun([step('a')])
    run.pass()
    run.children.delete('a-1')
    const { states, plan: made } = run.pass()
    expect(states.a).toMatchObject({ phase: 'Failed', reason: 'ChildMissing' })
    expect(made.reliesOnAbsence).toBe(true)
  })

  test('a child that somebody cancelled is not started again', () => {
    const run = new TestRun([step('a', { retries: 2 })])
    run.pass()
    run.end('a-1', { kind: 'cancelled', message: 'cancelled by spec.cancel' })
    expect(run.pass().states.a).toMatchObject({ phase: 'Failed', reason: 'ChildCancelled' })
  })
})

describe('the end of a run', () => {
  test('cancelled, it tells its children, waits for them, and runs the last steps', () => {
    const steps = [step('a'), step('b', { dependsOn: ['a'] }), step('z', { finally: true })]
    const run = new TestRun(steps)
    run.pass()
    run.isCancelled = true
    expect(run.pass()).toMatchObject({ created: [], plan: { cancel: ['a-1'] } })
    run.end('a-1', { kind: 'cancelled', message: 'cancelled' })
    const stopped = run.pass()
    expect(stopped.created).toEqual(['z-1'])
    expect(stopped.plan.create[0]?.inputs).toMatchObject({ outcome: 'Cancelled' })
    expect(stopped.states.b).toMatchObject({ phase: 'Skipped', reason: 'RunCancelled' })
    run.end('z-1', { kind: 'failed', message: 'no' })
    expect(run.pass().outcome).toMatchObject({ kind: 'cancelled' })
  })

  test('its timeout fires without an event, and stops everything', () => {
    const run = new TestRun([step('a')])
    run.deadline = run.now + 5000
    expect(run.pass().plan.wakeAt).toBe(run.deadline)
    run.now += 5000
    expect(run.pass().plan.cancel).toEqual(['a-1'])
    run.end('a-1', { kind: 'cancelled', message: 'cancelled' })
    expect(run.pass().outcome).toMatchObject({ kind: 'failed', reason: 'TimedOut' })
  })

  test('a run that ends before it is cancelled keeps its outcome', () => {
    const run = new TestRun([step('a'), step('z', { finally: true })])
    run.pass()
    run.end('a-1')
    run.pass()
    run.isCancelled = true
    expect(run.pass().plan.cancel).toEqual([])
    run.end('z-1')
    expect(run.pass().outcome).toMatchObject({ kind: 'succeeded' })
  })

  test('waits for a child that no step knows of', () => {
    const run = new TestRun([step('a', { when: false })])
    run.add('a-1', 'a')
    const first = run.pass()
    expect(first.plan.cancel).toEqual(['a-1'])
    expect(first.outcome).toBeUndefined()
    run.end('a-1', { kind: 'cancelled', message: 'cancelled' })
    expect(run.pass().outcome).toMatchObject({ kind: 'succeeded' })
  })
})

describe('a loop', () => {
  test('has one child for each item, as many at a time as it may', () => {
    const run = new TestRun([step('a', { items: ['x', 'y', 'z'], forEach: { maxParallel: 2 } })])
    expect(run.pass().created).toEqual(['a-0-1', 'a-1-1'])
    run.end('a-1-1', { kind: 'succeeded', outputs: { n: 1 } })
    expect(run.pass().created).toEqual(['a-2-1'])
    run.end('a-0-1', { kind: 'succeeded', outputs: { n: 0, m: 'm' } })
    run.end('a-2-1', { kind: 'succeeded', outputs: { n: 2 } })
    expect(run.pass().states.a?.outputs).toEqual({ n: [0, 1, 2], m: ['m', null, null] })
  })

  test('over nothing succeeds', () => {
    const run = new TestRun([step('a', { items: [], forEach: {} })])
    expect(run.pass()).toMatchObject({ created: [], outcome: { kind: 'succeeded' } })
  })

  test('fails with the first item that fails, and names it', () => {
    const run = new TestRun([step('a', { items: ['x', 'y'], forEach: {} })], { failFast: false })
    run.pass()
    run.end('a-1-1', { kind: 'failed', message: 'no' })
    expect(run.pass().states.a?.phase).toBe('Running')
    run.end('a-0-1')
    expect(run.pass().states.a).toMatchObject({ phase: 'Failed', message: 'item 1: no' })
  })

  test('counts for the parallelism of the run', () => {
    const steps = [step('a', { items: [1, 2, 3], forEach: {} }), step('b')]
    const run = new TestRun(steps, { parallelism: 2 })
    expect(run.pass().created).toEqual(['a-0-1', 'a-1-1'])
    run.end('a-0-1')
    run.end('a-1-1')
    expect(run.pass().created).toEqual(['a-2-1', 'b-1'])
  })
})

describe('a step that waits', () => {
  test('ends with the delivery', () => {
    const run = new TestRun([step('a', { kind: 'SignalWait' })])
    expect(run.pass().states.a).toMatchObject({ phase: 'Running', reason: 'WaitingForSignal' })
    run.delivered = { ticket: 7 }
    const { states } = run.pass()
    expect(states.a).toMatchObject({ phase: 'Succeeded', outputs: { ticket: 7 } })
  })

  test('remembers the deliveries that were there when it began', () => {
    const run = new TestRun([step('a', { kind: 'SignalWait' })])
    run.seen = ['uid-1']
    run.pass()
    expect(run.unit('a')?.seen).toEqual(['uid-1'])
  })

  test('runs out of time', () => {
    const run = new TestRun([step('a', { kind: 'SignalWait', timeoutSeconds: 5 })])
    expect(run.pass()).toMatchObject({
      states: { a: { reason: 'WaitingForSignal' } },
      plan: { wakeAt: run.now + 5000 },
    })
    run.now += 5000
    expect(run.pass().outcome).toMatchObject({ kind: 'failed', reason: 'StepTimedOut' })
  })

  test('is an object of its own for an approval, which is withdrawn when its time is over', () => {
    const run = new TestRun([step('a', { kind: 'ApprovalGate', timeoutSeconds: 5 })])
    expect(run.pass()).toMatchObject({
      states: { a: { reason: 'WaitingForApproval' } },
      plan: { create: [{ step: { name: 'a' } }], wakeAt: run.now + 5000 },
    })
  })

  test('ends at once when the run is cancelled', () => {
    const run = new TestRun([step('a', { kind: 'SignalWait' })])
    run.pass()
    run.isCancelled = true
    expect(run.pass().outcome).toMatchObject({ kind: 'cancelled' })
  })

  test('a checkpoint ends at once, with values of its own', () => {
    const run = new TestRun([step('a', { kind: 'Checkpoint', prompt: 'here' })])
    expect(run.pass().states.a?.outputs).toMatchObject({ prompt: 'here' })
  })
})

describe('after a crash', () => {
  test('a child that was created and not recorded is found by its name', () => {
    const run = new TestRun([step('a')])
    run.pass({ crash: true })
    run.now += 1000
    const { created, plan: made } = run.pass()
    expect([created, made.create]).toEqual([[], []])
    expect(run.unit('a')).toMatchObject({ attempt: 1, startedAt: run.now - 1000 })
  })

  test('a child that was not recorded is stopped with the run', () => {
    const run = new TestRun([step('a')])
    run.pass({ crash: true })
    run.isCancelled = true
    expect(run.pass()).toMatchObject({ created: [], plan: { cancel: ['a-1'] } })
    run.end('a-1', { kind: 'cancelled', message: 'cancelled' })
    expect(run.pass().outcome).toMatchObject({ kind: 'cancelled' })
  })

  test('planned twice, it does nothing twice', () => {
    const run = new TestRun([step('a'), step('b', { dependsOn: ['a'] })])
    run.pass()
    const before = run.steps
    const again = run.pass()
    expect(again.created).toEqual([])
    expect(run.steps).toEqual(before)
  })
})

describe('a resumed run', () => {
  const steps = [
    step('a'),
    step('b', { dependsOn: ['a'] }),
    step('c', { dependsOn: ['b'] }),
    step('d'),
    step('z', { finally: true }),
  ]

  function finishedRun(): readonly StepState[] {
    const run = new TestRun(steps)
    while (run.pass().outcome === undefined) run.endAll()
    return run.steps
  }

  test('takes over what succeeded with the same inputs', () => {
    const run = new TestRun(steps)
    run.reuse = planned(finishedRun())
    const { created, states } = run.pass()
    expect(created).toEqual(['z-1'])
    expect(states.b).toMatchObject({ phase: 'Succeeded', reason: 'Reused', outputs: { n: 1 } })
  })

  test('runs a changed step again, and what follows it', () => {
    const changed = steps.map((one) => (one.name === 'b' ? { ...one, prompt: 'other' } : one))
    const run = new TestRun(changed)
    run.reuse = planned(finishedRun())
    expect(run.pass().created).toEqual(['b-1'])
    run.end('b-1', { kind: 'succeeded', outputs: { n: 1 } })
    expect(run.pass().created).toEqual(['c-1'])
  })

  test('runs a named step again, and what follows it', () => {
    const run = new TestRun(steps)
    run.reuse = planned(finishedRun(), 'b')
    expect(run.pass().created).toEqual(['b-1'])
  })
})
