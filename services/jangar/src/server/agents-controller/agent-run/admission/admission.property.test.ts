import type { AgentRun } from '@agents/jangar-api'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AdmissionLimits } from './scopes.ts'
import { conditionOf, noLimits, World } from './testing/world.ts'

const smallLimit = fc.integer({ min: 0, max: 4 })

const limits: fc.Arbitrary<AdmissionLimits> = fc.record({
  concurrency: fc.record({ perNamespace: smallLimit, perAgent: smallLimit, cluster: smallLimit }),
  repoConcurrency: fc.record({
    enabled: fc.boolean(),
    default: smallLimit,
    overrides: fc.dictionary(fc.constantFrom('Org/One', 'org/two'), smallLimit),
  }),
  queue: fc.record({ perNamespace: smallLimit, perRepo: smallLimit, cluster: smallLimit }),
  rate: fc.record({
    windowMs: fc.constant(60_000),
    perNamespace: smallLimit,
    perRepo: smallLimit,
    cluster: smallLimit,
  }),
})

const run = fc.record({
  namespace: fc.constantFrom('red', 'blue'),
  repository: fc.option(fc.constantFrom('org/one', 'ORG/two', 'org/three'), { nil: undefined }),
  agent: fc.constantFrom('coder', 'tester'),
  priority: fc.constantFrom(undefined, 0, 5),
})

type Move = (world: World) => void

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: run.map(
      (options): Move =>
        (world) =>
          void world.create(options),
    ),
  },
  { weight: 6, arbitrary: fc.constant<Move>((world) => void world.pass()) },
  { weight: 1, arbitrary: fc.constant<Move>((world) => void world.pass({ loseWrite: true })) },
  {
    weight: 5,
    arbitrary: fc.nat(3).map(
      (count): Move =>
        (world) =>
          world.deliver(count),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (world) =>
          onOne(pick, world, 'finish'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (world) =>
          onAny(pick, world, 'delete'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (world) =>
          onAny(pick, world, 'cancel'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (world) =>
          onAny(pick, world, 'look'),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Move>((world) => world.restart()) },
  {
    weight: 2,
    arbitrary: fc.nat(20_000).map(
      (ms): Move =>
        (world) =>
          world.clock.advance(ms),
    ),
  },
)

const settings = { numRuns: 100 }

describe('whatever happens', () => {
  test('no limit is ever exceeded, and everybody gets a place in the end', () => {
    fc.assert(
      fc.property(limits, fc.array(moves, { maxLength: 120, size: 'max' }), (bounds, story) => {
        const world = new World(bounds)
        for (const move of story) {
          move(world)
          expectWithin(world, bounds)
        }
        finishAll(world, bounds)
        expect(world.unfinished()).toEqual([])
      }),
      settings,
    )
  })

  test('the runs of one agent and repository start in the order of their creation', () => {
    fc.assert(
      fc.property(limits, fc.array(moves, { maxLength: 80, size: 'max' }), (bounds, story) => {
        const world = new World(bounds)
        for (const move of story) {
          move(world)
          world.settle()
          world.clock.advance(1000)
        }
        finishAll(world, bounds)
        expect(outOfOrder(world)).toEqual([])
      }),
      settings,
    )
  })

  test('those who are refused by the bound of the queue move up as it drains', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (count, bound) => {
          const queue = { perNamespace: bound, perRepo: 0, cluster: 0 }
          const concurrency = { ...noLimits.concurrency, cluster: 1 }
          const world = new World({ ...noLimits, concurrency, queue })
          for (let at = 0; at < count; at += 1) world.create()
          world.settle()
          const refused = [...world.answers.values()].filter(
            (answer) => answer.kind === 'waiting' && answer.reason === 'QueueLimit',
          )
          expect(refused).toHaveLength(Math.max(0, count - 1 - bound))
          finishAll(world, { ...noLimits, concurrency })
          expect(world.started).toHaveLength(count)
        },
      ),
      settings,
    )
  })
})

function onOne(pick: number, world: World, what: 'finish'): void {
  const running = world.running()
  const run = running[pick % running.length]
  if (run) world[what](keyOf(run))
}

function onAny(pick: number, world: World, what: 'delete' | 'cancel' | 'look'): void {
  const keys = world.unfinished()
  const key = keys[pick % keys.length]
  if (key !== undefined) world[what](key)
}

function expectWithin(world: World, { concurrency, repoConcurrency, rate }: AdmissionLimits): void {
  const running = world.running()
  expectAtMost(
    running,
    () => 'all',
    () => concurrency.cluster,
  )
  expectAtMost(running, namespaceOf, () => concurrency.perNamespace)
  expectAtMost(
    running,
    (one) => `${namespaceOf(one)}/${one.spec.agentRef.name}`,
    () => concurrency.perAgent,
  )
  const { enabled, overrides } = repoConcurrency
  const own = new Map(Object.entries(overrides).map(([name, most]) => [name.toLowerCase(), most]))
  expectAtMost(running, repositoryOf, (name) =>
    enabled && name !== '' ? (own.get(name) ?? repoConcurrency.default) : 0,
  )
  const window = Math.floor(world.clock.now().getTime() / rate.windowMs)
  const fresh = [...world.runs.values()].filter((one) => {
    const admitted = conditionOf(one, 'Admitted')
    if (admitted?.status !== 'True') return false
    return Math.floor(Date.parse(admitted.lastTransitionTime) / rate.windowMs) === window
  })
  expectAtMost(
    fresh,
    () => 'all',
    () => rate.cluster,
  )
  expectAtMost(fresh, namespaceOf, () => rate.perNamespace)
  expectAtMost(fresh, repositoryOf, (name) => (name === '' ? 0 : rate.perRepo))
}

function expectAtMost(
  runs: readonly AgentRun[],
  scopeOf: (run: AgentRun) => string,
  limitOf: (scope: string) => number,
): void {
  for (const [scope, members] of Map.groupBy(runs, scopeOf)) {
    const most = limitOf(scope)
    if (most > 0) expect(members.length, scope).toBeLessThanOrEqual(most)
  }
}

/** Ends what runs, again and again, until nobody is left; cancelled ones end as the life cycle ends them. */
function finishAll(world: World, bounds: AdmissionLimits): void {
  for (let round = 0; round < 500 && world.unfinished().length > 0; round += 1) {
    world.settle()
    expectWithin(world, bounds)
    for (const key of world.unfinished()) {
      if (world.runs.get(key)?.spec.cancel) world.finish(key)
    }
    const running = world.running()
    for (const one of running) world.finish(keyOf(one))
    if (running.length === 0) world.clock.advance(30_000)
  }
}

function outOfOrder(world: World): string[] {
  const key = (run: AgentRun): string =>
    [namespaceOf(run), repositoryOf(run), run.spec.agentRef.name, run.spec.priority ?? 0].join(' ')
  const starts = world.started
    .map((name) => world.runs.get(name))
    .filter((one) => one !== undefined)
  return [...Map.groupBy(starts, key)].flatMap(([group, members]) => {
    const ages = members.map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`)
    return ages.join() === ages.toSorted().join() ? [] : [`${group}: ${ages.join()}`]
  })
}

function namespaceOf({ metadata }: AgentRun): string {
  return metadata.namespace ?? ''
}

function repositoryOf({ spec }: AgentRun): string {
  return (spec.parameters?.repository ?? '').toLowerCase()
}

function keyOf({ metadata }: AgentRun): string {
  return `${metadata.namespace}/${metadata.name}`
}
