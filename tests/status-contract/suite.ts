import { isRun } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectColumn, expectContract, expectTransition } from './checks.ts'
import type { Contract, ContractSubject, World } from './contract-subject.ts'
import { idleWorld } from './idle-world.ts'
import { ownReasons, type Script, scripted } from './scripted-gates.ts'
import { connect, installKinds, type RunningServer, type StartServer, until } from './server.ts'
import { setUpControllers } from './set-up-controllers.ts'
import { setUpPasses } from './set-up-passes.ts'

/** Proves the status contract for every listed reconciler on one server. */
export function statusContract(start: StartServer, subjects: readonly ContractSubject[]): void {
  let server: RunningServer
  let client: KubeClient
  beforeAll(async () => {
    server = await start()
    client = connect(server.connection)
    await installKinds(
      client,
      subjects.map(({ kind }) => kind),
    )
  }, startMs)
  afterAll(async () => {
    client.close()
    await server.stop()
  })

  describe.each(subjects.map((subject) => ({ subject, name: subject.kind.kind })))(
    '$name',
    ({ subject }) => {
      passes(subject, () => client)
      controllers(subject, () => client)
      test('has printer columns that point at fields that exist', () => {
        const { reconciler } = idleWorld(subject, client)
        expect(subject.kind.columns.length).toBeGreaterThan(0)
        for (const { jsonPath } of subject.kind.columns) {
          expectColumn(subject.kind, reconciler.conditions, jsonPath)
        }
      })
    },
  )
}

/** A server that has to be built first takes its time. */
const startMs = 1_800_000

/** One pass after the other, with gates that find what the test wants. */
function passes(subject: ContractSubject, client: () => KubeClient): void {
  test('a second reconcile writes nothing, and neither does any time that passes', async () => {
    const bench = await setUpPasses(subject, client())
    await bench.pass({ at: bench.last, finds: 'pass' })
    const { resourceVersion } = (await bench.read()).metadata
    for (const days of [0, 1, 30, 3650]) {
      bench.let(days * 86_400)
      expect(await bench.pass({ at: bench.last, finds: 'pass' })).toBe('settled')
    }
    expect((await bench.read()).metadata.resourceVersion).toBe(resourceVersion)
  })

  test('a gate that does not pass blocks those after it, which are Unknown', async () => {
    const bench = await setUpPasses(subject, client())
    const { gates } = bench.reconciler.conditions
    for (const [at, gate] of gates.entries()) {
      for (const finds of ['wait', 'stall', 'throw'] as const) {
        const object = await bench.onNewObject({ at, finds })
        const statuses = gates.map(({ type }) => {
          const { status, reason } = object.status.conditions.find((one) => one.type === type) ?? {}
          return `${type}=${status}/${reason}`
        })
        const blocked = gates.slice(at + 1).map(({ type }) => `${type}=Unknown/Blocked`)
        expect(statuses.slice(at + 1)).toEqual(blocked)
        expect(statuses.slice(0, at).every((text) => text.includes('=True/'))).toBe(true)
        const own = finds === 'throw' ? 'Unknown/CheckFailed' : `False/${ownReasons(gate)[0]}`
        expect(statuses[at]).toBe(`${gate.type}=${own}`)
      }
    }
  })

  test('every reason that a gate declares can be written', async () => {
    const bench = await setUpPasses(subject, client())
    for (const [at, gate] of bench.reconciler.conditions.gates.entries()) {
      for (const reason of ownReasons(gate)) await bench.onNewObject({ at, finds: 'wait', reason })
    }
  })

  test('an error never leaves a summary that is True behind for a newer generation', async () => {
    const bench = await setUpPasses(subject, client())
    await bench.pass({ at: bench.last, finds: 'pass' })
    const before = await bench.read()
    await bench.change()
    const kind = await bench.pass({ at: 0, finds: 'throw' })
    const after = await bench.read()
    expect(kind).toBe('written')
    expect(after.metadata.generation).toBeGreaterThan(before.metadata.generation ?? 0)
    expect(after.status.observedGeneration).toBe(before.status.observedGeneration)
    const ready = after.status.conditions.find(({ type }) => type === 'Ready')
    // Ready promises, so a living kind says no; a run that is not over has no outcome to tell.
    expect(ready?.status).toBe(subject.kind.summary === 'Ready' ? 'False' : 'Unknown')
  })

  test('whatever happens in whatever order, times move only with what they tell', async () => {
    const bench = await setUpPasses(subject, client())
    const script = fc.record({
      at: fc.integer({ min: 0, max: bench.last }),
      finds: fc.constantFrom('pass' as const, 'wait' as const, 'stall' as const, 'throw' as const),
      seconds: fc.integer({ min: 0, max: 100_000 }),
      message: fc.constantFrom('', 'a', 'b'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 2, maxLength: 8 }), async (steps) => {
        await bench.fresh()
        let before: Contract | undefined
        for (const { seconds, ...step } of steps) {
          bench.let(seconds)
          await bench.pass(step)
          const after = await bench.read()
          expectContract(bench.reconciler.conditions, after)
          if (before) expectTransition(before, after, rfc3339(bench.now()))
          before = after
        }
      }),
      { numRuns: 15 },
    )
  })

  test('every end has its time, and nothing changes after it', async () => {
    const bench = await setUpPasses(subject, client())
    if (!isRun(bench.reconciler)) {
      expect((await bench.onNewObject({ at: bench.last, finds: 'pass' })).status.finishedAt).toBe(
        undefined,
      )
      return
    }
    const { gates, failures } = bench.reconciler.conditions
    const ends: Script[] = [
      ...gates.flatMap((_gate, at) => [
        { at, finds: 'cancelled' as const },
        { at, finds: 'failed' as const },
      ]),
      ...gates.flatMap((gate, at) =>
        ownReasons(gate).map((reason) => ({ at, finds: 'failed' as const, reason })),
      ),
      ...Object.keys(failures).map((reason) => ({
        at: gates.length,
        finds: 'failed' as const,
        reason,
      })),
      { at: gates.length, finds: 'succeeded' },
      { at: gates.length, finds: 'cancelled' },
    ]
    for (const end of ends) {
      const ended = await bench.onNewObject(end)
      expect(ended.status.finishedAt, JSON.stringify(end)).toBe(rfc3339(bench.now()))
      bench.let(1000)
      for (const other of ends.slice(0, 3)) expect(await bench.pass(other)).toBe('settled')
      expect(await bench.read()).toEqual(ended)
    }
  })
}

/** Whole controllers, with the gates as they are. */
function controllers(subject: ContractSubject, client: () => KubeClient): void {
  test('a missing dependency heals when it appears, and nothing is written after that', async () => {
    const bench = await setUpControllers(subject, client())
    const controller = bench.start()
    const object = await bench.create()
    await until(async () => (await object()).status.observedGeneration === 1)
    if (!subject.dependency) return
    expect(await bench.isSettled(object)).toBe(false)
    await bench.dependencyAppears()
    await until(() => bench.isSettled(object))
    const { metadata, status } = await object()
    await controller.lookAgain(metadata)
    expect(await object()).toMatchObject({
      metadata: { resourceVersion: metadata.resourceVersion },
      status,
    })
  })

  test('a restart changes nothing', async () => {
    const bench = await setUpControllers(subject, client())
    await bench.dependencyAppears()
    const first = bench.start()
    const object = await bench.create()
    await until(() => bench.isSettled(object))
    await first.stop()
    const before = await object()
    const second = bench.start()
    await until(() => second.hasLookedAt(before.metadata.name))
    await second.stop()
    expect(await object()).toEqual(before)
  })

  test('two controllers that race never write a mixed status', async () => {
    const bench = await setUpControllers(subject, client())
    const seen: Contract[] = []
    const stopWatching = await bench.watch((object) => seen.push(object))
    let round = 0
    const signed = (finds: 'pass' | 'wait') => (world: World) =>
      scripted(world.reconciler, () => ({ at: 0, finds, message: `${finds} in round ${round}` }))
    const racers = (['pass', 'wait'] as const).map((finds) => bench.start(signed(finds)))
    const objects = await Promise.all(Array.from({ length: 5 }, () => bench.create()))
    // Until both have had their say about an object there is no race for it.
    for (const object of objects) {
      const { name } = (await object()).metadata
      const hasSaid = (finds: string) =>
        seen.some(
          ({ metadata, status }) =>
            metadata.name === name &&
            status?.conditions?.some(({ message }) => message.startsWith(`${finds} in round`)),
        )
      await until(() => hasSaid('pass') && hasSaid('wait'))
    }
    for (round = 1; round <= 10; round += 1) {
      for (const object of objects) {
        const { metadata } = await object()
        for (const racer of racers) racer.touch(metadata)
      }
    }
    await Promise.all(racers.map((racer) => racer.stop()))
    for (const object of objects) {
      const { resourceVersion } = (await object()).metadata
      await until(() => seen.some(({ metadata }) => metadata.resourceVersion === resourceVersion))
    }
    await stopWatching()
    const gates: readonly string[] = bench.reconciler.gates.map(({ condition }) => condition)
    const written = seen.filter(({ status }) => status.conditions !== undefined)
    expect(written.length).toBeGreaterThan(objects.length)
    // Each of them says what only one could have found, and the phase that follows from it.
    for (const object of written) {
      const { conditions, phase } = object.status
      const told = conditions.filter(
        ({ type, status }) => gates.includes(type) && status !== 'Unknown',
      )
      const signatures = new Set(told.map(({ message }) => message))
      expect(signatures.size, [...signatures].join(' | ')).toBe(1)
      expect(phase).toBe(bench.reconciler.phase?.(conditions))
    }
  })
}
