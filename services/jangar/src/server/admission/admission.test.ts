import { describe, expect, test } from 'vitest'
import type { Waiting } from './admission-decision.ts'
import type { AdmissionLimits } from './scopes.ts'
import {
  AdmissionHarness,
  atATime,
  noLimits,
  type RunOptions,
  runToTheEnd,
} from './testing/admission-harness.ts'

function inAWindow(cluster: number): AdmissionLimits {
  return {
    ...noLimits,
    rate: { ...noLimits.rate, cluster },
  }
}

describe('slots', () => {
  test('500 pending runs with limit 10 never exceed 10 at a time, and all finish', () => {
    const harness = new AdmissionHarness(atATime(10))
    for (let count = 0; count < 500; count += 1) harness.create()
    let most = 0
    while (harness.unfinished().length > 0) {
      harness.settle()
      const running = harness.running()
      most = Math.max(most, running.length)
      for (const { metadata } of running.slice(0, 3)) harness.finish(`team/${metadata.name}`)
    }
    expect(most).toBe(10)
    expect(harness.started).toHaveLength(500)
  })

  test('201 pending runs with a queue of 200 all get in', () => {
    const queue = { ...noLimits.queue, perNamespace: 200 }
    const harness = new AdmissionHarness({ ...atATime(1), queue })
    for (let count = 0; count < 202; count += 1) harness.create()
    harness.settle()
    expect(waitingFor(harness, 'team/run-00201')).toMatchObject({ reason: 'Queued', position: 200 })
    // It is in no queue, so it has no position there.
    expect(waitingFor(harness, 'team/run-00202')).toMatchObject({
      reason: 'QueueLimit',
      message:
        'Not in the queue: that of namespace team is full (limit 200); the run enters it when another one leaves.',
      position: undefined,
    })
    runToTheEnd(harness)
    expect(harness.started).toHaveLength(202)
  })

  test('the position of a run that waits for its agent counts the runs of that agent', () => {
    const concurrency = { ...noLimits.concurrency, cluster: 3, perAgent: 1 }
    const harness = new AdmissionHarness({ ...noLimits, concurrency })
    for (const agent of ['coder', 'tester', 'writer', 'other', 'tester', 'other', 'coder', 'coder'])
      harness.create({ agent })
    harness.settle()
    expect(waitingFor(harness, 'team/run-00007')).toMatchObject({
      reason: 'ConcurrencyLimit',
      position: 1,
      message: 'Position 1 of agent coder: agent coder is at its limit of 1 concurrent run.',
    })
    expect(waitingFor(harness, 'team/run-00008')?.position).toBe(2)
  })

  test('a burst that the cache does not show yet is counted', () => {
    const harness = new AdmissionHarness(atATime(2))
    for (let count = 0; count < 5; count += 1) harness.create()
    harness.deliver(5)
    while (harness.reconcileNext()) expect(harness.running().length).toBeLessThanOrEqual(2)
    expect(harness.running()).toHaveLength(2)
  })

  test.each([
    {
      because: 'it was deleted',
      end: (harness: AdmissionHarness, key: string) => harness.delete(key),
    },
    {
      because: 'it is cancelled',
      end: (harness: AdmissionHarness, key: string) => harness.cancel(key),
    },
    {
      because: 'a dependency was deleted',
      end: (harness: AdmissionHarness, key: string) => harness.refuse(key),
    },
  ])('a queued run leaves the queue when $because', ({ end }) => {
    const harness = new AdmissionHarness(atATime(1))
    for (let count = 0; count < 3; count += 1) harness.create()
    harness.settle()
    end(harness, 'team/run-00002')
    harness.finish('team/run-00001')
    harness.settle()
    expect(harness.started).toEqual(['team/run-00001', 'team/run-00003'])
  })

  test('a slot that is not claimed goes to the next run', () => {
    const harness = new AdmissionHarness(atATime(1))
    for (let count = 0; count < 3; count += 1) harness.create()
    harness.settle()
    harness.finish('team/run-00001')
    harness.deliver()
    harness.clock.advance(29_000)
    harness.reconcile('team/run-00003')
    expect(harness.started).toHaveLength(1)
    harness.clock.advance(2_000)
    harness.reconcile('team/run-00003')
    expect(harness.started).toEqual(['team/run-00001', 'team/run-00003'])
  })

  test('an old version in the cache does not release a slot', () => {
    const harness = new AdmissionHarness(atATime(1))
    harness.create()
    harness.create()
    harness.deliver()
    harness.refuse('team/run-00001')
    harness.reconcile('team/run-00001', true)
    harness.deliver()
    harness.reconcile('team/run-00002')
    expect(harness.decisions.get('team/run-00002')).toMatchObject({ kind: 'waiting' })
  })

  test('a run that was deleted and created again waits behind those that were there before', () => {
    const harness = new AdmissionHarness(atATime(1))
    harness.create()
    harness.create()
    harness.deliver()
    harness.reconcile('team/run-00001', true)
    harness.reconcile('team/run-00002')
    harness.recreate('team/run-00001')
    harness.reconcile('team/run-00001')
    expect(harness.decisions.get('team/run-00001')).toMatchObject({ kind: 'waiting' })
    harness.reconcile('team/run-00002')
    expect(harness.decisions.get('team/run-00002')).toMatchObject({ kind: 'admitted' })
  })

  test.each([
    { has: 'a Job keeps', jobs: ['team/run-00001'], next: 'waiting' },
    { has: 'no Job gives up', jobs: [], next: 'admitted' },
  ])('a run that is found not to be acceptable and has $has its slot', ({ jobs, next }) => {
    const harness = new AdmissionHarness(atATime(1))
    harness.create()
    harness.create()
    harness.deliver()
    harness.reconcile('team/run-00001', true)
    for (const key of jobs) harness.withJobs.add(key)
    harness.refuse('team/run-00001')
    harness.deliver()
    harness.reconcile('team/run-00002')
    expect(harness.decisions.get('team/run-00002')).toMatchObject({ kind: next })
  })
})

describe('the queue order', () => {
  const turns: { because: string; limits?: AdmissionLimits; runs: RunOptions[]; order: string }[] =
    [
      {
        because: 'namespaces take turns',
        runs: [{}, ...three({ namespace: 'a' }), ...three({ namespace: 'b' })],
        order: '1 2 5 3 6 4 7',
      },
      {
        because: 'repositories take turns in a namespace',
        runs: [{}, ...three({ repository: 'o/a' }), ...three({ repository: 'o/b' })],
        order: '1 2 5 3 6 4 7',
      },
      {
        because: 'a namespace with many repositories gets no more than its turns',
        runs: [
          {},
          { namespace: 'a', repository: 'o/a' },
          { namespace: 'a', repository: 'o/b' },
          { namespace: 'a', repository: 'o/c' },
          ...three({ namespace: 'b' }),
        ],
        order: '1 2 5 3 6 4 7',
      },
      {
        because: 'a higher priority goes first, and a negative one last',
        runs: [{}, { priority: -1 }, {}, { priority: 7 }, { priority: 7 }],
        order: '1 4 5 3 2',
      },
      {
        because: 'a run whose agent is at its limit does not block others',
        limits: { ...noLimits, concurrency: { cluster: 2, perAgent: 1, perNamespace: 0 } },
        runs: [{}, {}, { agent: 'tester' }, {}],
        order: '1 3 2 4',
      },
      {
        because: 'a run whose repository is at its limit does not block others',
        limits: {
          ...noLimits,
          concurrency: { cluster: 2, perAgent: 0, perNamespace: 0 },
          repoConcurrency: { enabled: true, default: 2, overrides: { 'Org/Busy': 1 } },
        },
        runs: [{ repository: 'org/busy' }, { repository: 'org/Busy' }, { repository: 'o/x' }],
        order: '1 3 2',
      },
      {
        because: 'a run outside a full queue takes a slot that no queued run can use',
        limits: {
          ...noLimits,
          concurrency: { cluster: 0, perAgent: 1, perNamespace: 0 },
          queue: { ...noLimits.queue, perNamespace: 1 },
        },
        runs: [{}, {}, { agent: 'tester' }, { agent: 'tester' }],
        order: '1 3 2 4',
      },
    ]

  test.each(turns)('$because', ({ limits = atATime(1), runs, order }) => {
    const harness = new AdmissionHarness(limits)
    for (const run of runs) harness.create(run)
    runToTheEnd(harness)
    const numbers = harness.started.map((key) => Number(key.slice(-5)))
    expect(numbers.join(' ')).toBe(order)
  })

  test('positions show which run goes first', () => {
    const harness = new AdmissionHarness(atATime(1))
    for (const run of [{}, {}, {}, { namespace: 'b' }, { priority: 3 }]) harness.create(run)
    harness.settle()
    for (const key of harness.unfinished()) harness.reconcile(key)
    const positions = [...harness.decisions].map(([key, decision]) =>
      decision.kind === 'waiting' ? `${key.slice(-1)}:${decision.position}` : key.slice(-1),
    )
    expect(positions.toSorted()).toEqual(['1', '2:2', '3:4', '4:3', '5:1'])
  })
})

describe('the rate limit', () => {
  test('a rate-limited run is requeued at the end of the window, with one write for each decision', () => {
    const harness = new AdmissionHarness(inAWindow(2))
    for (let count = 0; count < 3; count += 1) harness.create()
    harness.settle()
    expect(waitingFor(harness, 'team/run-00003')).toMatchObject({
      reason: 'RateLimited',
      eligibleAt: new Date('2026-01-01T00:01:00Z'),
      retryAfterMs: 60_000,
    })
    harness.clock.advance(59_000)
    harness.reconcile('team/run-00003')
    expect(harness.writes.get('team/run-00003')).toBe(1)
    harness.clock.advance(1_000)
    harness.settle()
    expect(harness.started).toHaveLength(3)
    expect(harness.writes.get('team/run-00003')).toBe(2)
  })

  test('a run that must wait for several windows shows the right time at once', () => {
    const harness = new AdmissionHarness(inAWindow(2))
    for (let count = 0; count < 5; count += 1) harness.create()
    harness.settle()
    const ends = ['3', '4', '5'].map(
      (end) => waitingFor(harness, `team/run-0000${end}`)?.eligibleAt,
    )
    expect(ends.map((end) => end?.toISOString().slice(14, 19))).toEqual(['01:00', '01:00', '02:00'])
  })

  test('only runs that start count', () => {
    const harness = new AdmissionHarness({ ...inAWindow(2), concurrency: atATime(1).concurrency })
    for (let count = 0; count < 4; count += 1) harness.create()
    harness.settle()
    harness.cancel('team/run-00002')
    harness.finish('team/run-00001')
    harness.settle()
    harness.finish('team/run-00003')
    harness.settle()
    expect(harness.started).toEqual(['team/run-00001', 'team/run-00003'])
    expect(waitingFor(harness, 'team/run-00004')?.reason).toBe('Queued')
    harness.reconcile('team/run-00004')
    expect(waitingFor(harness, 'team/run-00004')?.reason).toBe('RateLimited')
  })

  test('counts a run that started and finished between two observed versions', () => {
    const harness = new AdmissionHarness(inAWindow(1))
    const first = harness.create()
    harness.deliver()
    harness.reconcile(first, true)
    harness.finishUnseen(first)
    harness.deliver()
    const second = harness.create()
    harness.settle()
    expect(waitingFor(harness, second)?.reason).toBe('RateLimited')
  })

  test('counts a run that started before a restart and has finished', () => {
    const harness = new AdmissionHarness(inAWindow(1))
    harness.create()
    harness.create()
    harness.settle()
    harness.finish('team/run-00001')
    harness.restart()
    harness.settle()
    expect(harness.started).toEqual(['team/run-00001'])
  })
})

describe('status writes', () => {
  test('do not grow with the length of the queue', () => {
    const harness = new AdmissionHarness(atATime(1))
    for (let count = 0; count < 200; count += 1) harness.create()
    runToTheEnd(harness)
    expect(Math.max(...harness.writes.values())).toBe(2)
  })

  test('idle time causes no writes and leaves no timer behind', () => {
    const harness = new AdmissionHarness(atATime(1))
    harness.create()
    harness.create()
    harness.settle()
    harness.clock.advance(86_400_000)
    for (const key of harness.unfinished()) harness.reconcile(key)
    expect([...harness.writes.values()]).toEqual([1, 1])
    runToTheEnd(harness)
    harness.clock.advance(60_000)
    expect(harness.clock.timers).toBe(0)
  })
})

function three(options: RunOptions): RunOptions[] {
  return [options, options, options]
}

function waitingFor(harness: AdmissionHarness, key: string): Waiting | undefined {
  const decision = harness.decisions.get(key)
  return decision?.kind === 'waiting' ? decision : undefined
}

/** Finishes runs one after the other, in the order in which they started. */
