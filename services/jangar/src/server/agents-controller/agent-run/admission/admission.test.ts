import { describe, expect, test } from 'vitest'
import type { Waiting } from './admission-answer.ts'
import type { AdmissionLimits } from './scopes.ts'
import { noLimits, type RunOptions, World } from './testing/world.ts'

const atATime = (cluster: number): AdmissionLimits => ({
  ...noLimits,
  concurrency: { ...noLimits.concurrency, cluster },
})

const inAWindow = (cluster: number): AdmissionLimits => ({
  ...noLimits,
  rate: { ...noLimits.rate, cluster },
})

describe('places', () => {
  test('500 pending runs with limit 10 never exceed 10 at a time, and all finish', () => {
    const world = new World(atATime(10))
    for (let count = 0; count < 500; count += 1) world.create()
    let most = 0
    while (world.unfinished().length > 0) {
      world.settle()
      const running = world.running()
      most = Math.max(most, running.length)
      for (const { metadata } of running.slice(0, 3)) world.finish(`team/${metadata.name}`)
    }
    expect(most).toBe(10)
    expect(world.started).toHaveLength(500)
  })

  test('201 pending runs with a queue of 200 all get in', () => {
    const queue = { ...noLimits.queue, perNamespace: 200 }
    const world = new World({ ...atATime(1), queue })
    for (let count = 0; count < 202; count += 1) world.create()
    world.settle()
    expect(waitingFor(world, 'team/run-00202')).toMatchObject({
      reason: 'QueueLimit',
      position: 201,
    })
    runToTheEnd(world)
    expect(world.started).toHaveLength(202)
  })

  test('a burst that the cache does not show yet is counted', () => {
    const world = new World(atATime(2))
    for (let count = 0; count < 5; count += 1) world.create()
    world.deliver(5)
    while (world.pass()) expect(world.running().length).toBeLessThanOrEqual(2)
    expect(world.running()).toHaveLength(2)
  })

  test('what an earlier process let in still counts', () => {
    const world = new World(atATime(2))
    for (let count = 0; count < 4; count += 1) world.create()
    world.settle()
    world.restart()
    world.settle()
    expect(world.running()).toHaveLength(2)
    world.finish('team/run-00001')
    world.settle()
    expect(world.started).toEqual(['team/run-00001', 'team/run-00002', 'team/run-00003'])
  })

  test('a run whose work outlived the process before its status was written has its place', () => {
    const world = new World(atATime(1))
    world.create()
    world.create()
    world.deliver()
    world.look('team/run-00002', true)
    world.working.add('team/run-00002')
    world.restart()
    world.look('team/run-00001')
    expect(world.answers.get('team/run-00001')).toMatchObject({ kind: 'waiting' })
    world.look('team/run-00002')
    expect(world.started).toEqual(['team/run-00002'])
  })

  test.each([
    { because: 'it was deleted', end: (world: World, key: string) => world.delete(key) },
    { because: 'it is to be cancelled', end: (world: World, key: string) => world.cancel(key) },
    { because: 'what it needs has gone', end: (world: World, key: string) => world.refuse(key) },
  ])('a run that waits gives way when $because', ({ end }) => {
    const world = new World(atATime(1))
    for (let count = 0; count < 3; count += 1) world.create()
    world.settle()
    end(world, 'team/run-00002')
    world.finish('team/run-00001')
    world.settle()
    expect(world.started).toEqual(['team/run-00001', 'team/run-00003'])
  })

  test('a place for which nobody comes goes to the next', () => {
    const world = new World(atATime(1))
    for (let count = 0; count < 3; count += 1) world.create()
    world.settle()
    world.finish('team/run-00001')
    world.deliver()
    world.clock.advance(29_000)
    world.look('team/run-00003')
    expect(world.started).toHaveLength(1)
    world.clock.advance(2_000)
    world.look('team/run-00003')
    expect(world.started).toEqual(['team/run-00001', 'team/run-00003'])
  })

  test('an old version in the cache takes no place away', () => {
    const world = new World(atATime(1))
    world.create()
    world.create()
    world.deliver()
    world.refuse('team/run-00001')
    world.look('team/run-00001', true)
    world.deliver()
    world.look('team/run-00002')
    expect(world.answers.get('team/run-00002')).toMatchObject({ kind: 'waiting' })
  })
})

describe('the order', () => {
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
        because: 'one for whose agent there is no room holds up nobody',
        limits: { ...noLimits, concurrency: { cluster: 2, perAgent: 1, perNamespace: 0 } },
        runs: [{}, {}, { agent: 'tester' }, {}],
        order: '1 3 2 4',
      },
      {
        because: 'one for whose repository there is no room holds up nobody',
        limits: {
          ...noLimits,
          concurrency: { cluster: 2, perAgent: 0, perNamespace: 0 },
          repoConcurrency: { enabled: true, default: 2, overrides: { 'Org/Busy': 1 } },
        },
        runs: [{ repository: 'org/busy' }, { repository: 'org/Busy' }, { repository: 'o/x' }],
        order: '1 3 2',
      },
      {
        because: 'one outside the queue does not leave a place empty that nobody in it can use',
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
    const world = new World(limits)
    for (const run of runs) world.create(run)
    runToTheEnd(world)
    const numbers = world.started.map((key) => Number(key.slice(-5)))
    expect(numbers.join(' ')).toBe(order)
  })

  test('survives a restart although a list comes by name', () => {
    const world = new World(atATime(1))
    world.create({ namespace: 'z' })
    world.clock.advance(1000)
    world.create({ namespace: 'z' })
    world.clock.advance(1000)
    world.create({ namespace: 'a' })
    world.settle()
    world.restart()
    runToTheEnd(world)
    expect(world.started).toEqual(['z/run-00001', 'z/run-00002', 'a/run-00003'])
  })

  test('positions say who goes first', () => {
    const world = new World(atATime(1))
    for (const run of [{}, {}, {}, { namespace: 'b' }, { priority: 3 }]) world.create(run)
    world.settle()
    for (const key of world.unfinished()) world.look(key)
    const positions = [...world.answers].map(([key, answer]) =>
      answer.kind === 'waiting' ? `${key.slice(-1)}:${answer.position}` : key.slice(-1),
    )
    expect(positions.toSorted()).toEqual(['1', '2:2', '3:4', '4:3', '5:1'])
  })
})

describe('the rate', () => {
  test('a rate-limited run is woken at the end of the window, with one write for each answer', () => {
    const world = new World(inAWindow(2))
    for (let count = 0; count < 3; count += 1) world.create()
    world.settle()
    expect(waitingFor(world, 'team/run-00003')).toMatchObject({
      reason: 'RateLimited',
      eligibleAt: new Date('2026-01-01T00:01:00Z'),
      retryAfterMs: 60_000,
    })
    world.clock.advance(59_000)
    world.look('team/run-00003')
    expect(world.writes.get('team/run-00003')).toBe(1)
    world.clock.advance(1_000)
    world.settle()
    expect(world.started).toHaveLength(3)
    expect(world.writes.get('team/run-00003')).toBe(2)
  })

  test('who must wait for several windows is told so at once', () => {
    const world = new World(inAWindow(2))
    for (let count = 0; count < 5; count += 1) world.create()
    world.settle()
    const ends = ['3', '4', '5'].map((end) => waitingFor(world, `team/run-0000${end}`)?.eligibleAt)
    expect(ends.map((end) => end?.toISOString().slice(14, 19))).toEqual(['01:00', '01:00', '02:00'])
  })

  test('only a run that starts takes from it', () => {
    const world = new World({ ...inAWindow(2), concurrency: atATime(1).concurrency })
    for (let count = 0; count < 4; count += 1) world.create()
    world.settle()
    world.cancel('team/run-00002')
    world.finish('team/run-00001')
    world.settle()
    world.finish('team/run-00003')
    world.settle()
    expect(world.started).toEqual(['team/run-00001', 'team/run-00003'])
    expect(waitingFor(world, 'team/run-00004')?.reason).toBe('Queued')
    world.look('team/run-00004')
    expect(waitingFor(world, 'team/run-00004')?.reason).toBe('RateLimited')
  })

  test('counts what started and ended between two states that are seen', () => {
    const world = new World(inAWindow(1))
    const first = world.create()
    world.deliver()
    world.look(first, true)
    world.finishUnseen(first)
    world.deliver()
    const second = world.create()
    world.settle()
    expect(waitingFor(world, second)?.reason).toBe('RateLimited')
  })

  test('counts what started before a restart, though it has ended', () => {
    const world = new World(inAWindow(1))
    world.create()
    world.create()
    world.settle()
    world.finish('team/run-00001')
    world.restart()
    world.settle()
    expect(world.started).toEqual(['team/run-00001'])
  })
})

describe('writes', () => {
  test('do not grow with the length of the queue', () => {
    const world = new World(atATime(1))
    for (let count = 0; count < 200; count += 1) world.create()
    runToTheEnd(world)
    expect(Math.max(...world.writes.values())).toBe(2)
  })

  test('idle for any time writes nothing and leaves no alarm behind', () => {
    const world = new World(atATime(1))
    world.create()
    world.create()
    world.settle()
    world.clock.advance(86_400_000)
    for (const key of world.unfinished()) world.look(key)
    expect([...world.writes.values()]).toEqual([1, 1])
    runToTheEnd(world)
    world.clock.advance(60_000)
    expect(world.clock.alarms).toBe(0)
  })
})

function three(options: RunOptions): RunOptions[] {
  return [options, options, options]
}

function waitingFor(world: World, key: string): Waiting | undefined {
  const answer = world.answers.get(key)
  return answer?.kind === 'waiting' ? answer : undefined
}

/** One after the other, in the order in which they started. */
function runToTheEnd(world: World): void {
  world.settle()
  for (let at = 0; at < world.started.length; at += 1) {
    const key = world.started[at]
    if (key !== undefined) world.finish(key)
    world.settle()
  }
}
