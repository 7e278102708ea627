import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conditionOf } from '../kubernetes/condition-of.ts'
import type { AdmissionLimits } from './scopes.ts'
import { AdmissionHarness, noLimits, type TestRun } from './testing/admission-harness.ts'

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
  workspaces: fc.constantFrom([], [], ['cache'], ['models'], ['cache', 'models']),
})

type Move = (harness: AdmissionHarness) => void

const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: run.map(
      (options): Move =>
        (harness) =>
          void harness.create(options),
    ),
  },
  { weight: 6, arbitrary: fc.constant<Move>((harness) => void harness.reconcileNext()) },
  {
    weight: 1,
    arbitrary: fc.constant<Move>((harness) => void harness.reconcileNext({ loseWrite: true })),
  },
  {
    weight: 5,
    arbitrary: fc.nat(3).map(
      (count): Move =>
        (harness) =>
          harness.deliver(count),
    ),
  },
  {
    weight: 5,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (harness) =>
          onOne(pick, harness, 'finish'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (harness) =>
          onAny(pick, harness, 'delete'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (harness) =>
          onAny(pick, harness, 'cancel'),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (pick): Move =>
        (harness) =>
          onAny(pick, harness, 'reconcile'),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Move>((harness) => harness.restart()) },
  {
    weight: 2,
    arbitrary: fc.nat(20_000).map(
      (ms): Move =>
        (harness) =>
          harness.clock.advance(ms),
    ),
  },
)

/** What a waiting run refers to is deleted, and created again: then it may start later than others. */
const dependencyMoves = fc.tuple(fc.constantFrom('refuse', 'accept'), fc.nat()).map(
  ([what, pick]): Move =>
    (harness) =>
      onAny(pick, harness, what, what === 'accept' ? isRefused : isWaiting),
)

function stories(maxLength: number, ...others: readonly fc.Arbitrary<Move>[]) {
  const weighted = others.map((arbitrary) => ({ weight: 4, arbitrary }))
  const move = fc.oneof({ weight: 30, arbitrary: moves }, ...weighted)
  return fc.array(move, { maxLength, size: 'max' })
}

const writing = fc.record({ holdsWaiting: fc.boolean(), namesDescend: fc.boolean() })

const settings = { numRuns: 100 }

describe('after any sequence of events', () => {
  test('no limit is ever exceeded, and every run gets a slot in the end', () => {
    fc.assert(
      fc.property(limits, writing, stories(120, dependencyMoves), (bounds, options, story) => {
        const harness = new AdmissionHarness(bounds, options)
        for (const move of story) {
          move(harness)
          expectWithin(harness, bounds)
        }
        finishAll(harness, bounds)
        expect(harness.unfinished()).toEqual([])
      }),
      settings,
    )
  })

  test('the runs of one agent, repository and workspace start in the order of their creation', () => {
    fc.assert(
      fc.property(limits, writing, stories(80), (bounds, options, story) => {
        const harness = new AdmissionHarness(bounds, options)
        for (const move of story) {
          move(harness)
          harness.settle()
          harness.clock.advance(1000)
        }
        finishAll(harness, bounds)
        expect(outOfOrder(harness)).toEqual([])
      }),
      settings,
    )
  })

  test('runs that do not fit into the queue enter it as it drains', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (count, bound) => {
          const queue = { perNamespace: bound, perRepo: 0, cluster: 0 }
          const concurrency = { ...noLimits.concurrency, cluster: 1 }
          const harness = new AdmissionHarness({ ...noLimits, concurrency, queue })
          for (let at = 0; at < count; at += 1) harness.create()
          harness.settle()
          const refused = [...harness.decisions.values()].filter(
            (decision) => decision.kind === 'waiting' && decision.reason === 'QueueLimit',
          )
          expect(refused).toHaveLength(Math.max(0, count - 1 - bound))
          finishAll(harness, { ...noLimits, concurrency })
          expect(harness.started).toHaveLength(count)
        },
      ),
      settings,
    )
  })
})

function onOne(pick: number, harness: AdmissionHarness, what: 'finish'): void {
  const running = harness.running()
  const run = running[pick % running.length]
  if (run) harness[what](keyOf(run))
}

function onAny(
  pick: number,
  harness: AdmissionHarness,
  what: 'accept' | 'cancel' | 'delete' | 'reconcile' | 'refuse',
  isEligible: (run: TestRun) => boolean = () => true,
): void {
  const keys = harness.unfinished().filter((key) => {
    const run = harness.runs.get(key)
    return run !== undefined && isEligible(run)
  })
  const key = keys[pick % keys.length]
  if (key !== undefined) harness[what](key)
}

function expectWithin(
  harness: AdmissionHarness,
  { concurrency, repoConcurrency, rate }: AdmissionLimits,
): void {
  const running = harness.running()
  expectAtMost(
    running,
    () => 'all',
    () => concurrency.cluster,
  )
  expectAtMost(running, namespaceOf, () => concurrency.perNamespace)
  expectAtMost(
    running,
    (one) => `${namespaceOf(one)}/${one.spec.agent}`,
    () => concurrency.perAgent,
  )
  const { enabled, overrides } = repoConcurrency
  const own = new Map(Object.entries(overrides).map(([name, most]) => [name.toLowerCase(), most]))
  expectAtMost(running, repositoryOf, (name) =>
    enabled && name !== '' ? (own.get(name) ?? repoConcurrency.default) : 0,
  )
  for (const name of ['cache', 'models']) {
    const users = running.filter(({ spec }) => spec.workspaces?.includes(name))
    expectAtMost(users, namespaceOf, () => 1)
  }
  const window = Math.floor(harness.clock.now().getTime() / rate.windowMs)
  const fresh = [...harness.runs.values()].filter((one) => {
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
  runs: readonly TestRun[],
  scopeOf: (run: TestRun) => string,
  limitOf: (scope: string) => number,
): void {
  for (const [scope, members] of Map.groupBy(runs, scopeOf)) {
    const most = limitOf(scope)
    if (most > 0) expect(members.length, scope).toBeLessThanOrEqual(most)
  }
}

/** Finishes running and cancelled runs until none is left. */
function finishAll(harness: AdmissionHarness, bounds: AdmissionLimits): void {
  for (let round = 0; round < 500 && harness.unfinished().length > 0; round += 1) {
    harness.settle()
    expectWithin(harness, bounds)
    for (const key of harness.unfinished()) {
      if (harness.runs.get(key)?.spec.cancel) harness.finish(key)
      else if (isRefused(harness.runs.get(key))) harness.accept(key)
    }
    const running = harness.running()
    for (const one of running) harness.finish(keyOf(one))
    if (running.length === 0) harness.clock.advance(30_000)
  }
}

function outOfOrder(harness: AdmissionHarness): string[] {
  const key = (run: TestRun): string =>
    [
      namespaceOf(run),
      repositoryOf(run),
      run.spec.agent,
      run.spec.priority ?? 0,
      run.spec.workspaces ?? [],
    ].join(' ')
  const starts = harness.started
    .map((name) => harness.runs.get(name))
    .filter((one) => one !== undefined)
  return [...Map.groupBy(starts, key)].flatMap(([group, members]) => {
    const ages = members.map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.name}`)
    return ages.join() === ages.toSorted().join() ? [] : [`${group}: ${ages.join()}`]
  })
}

function isWaiting(run: TestRun): boolean {
  return conditionOf(run, 'Admitted')?.status !== 'True'
}

function isRefused(run: TestRun | undefined): boolean {
  return run !== undefined && conditionOf(run, 'Accepted')?.status === 'False'
}

function namespaceOf({ metadata }: TestRun): string {
  return metadata.namespace ?? ''
}

function repositoryOf({ spec }: TestRun): string {
  return (spec.repository ?? '').toLowerCase()
}

function keyOf({ metadata }: TestRun): string {
  return `${metadata.namespace}/${metadata.name}`
}
