import { isRun } from '@agents/controller'
import { kinds } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connect,
  installKinds,
  type RunningServer,
  type StartServer,
} from '../../support/testbed/server.ts'
import { until } from '../../support/testbed/until.ts'
import { expectColumn, expectContract, expectTransition } from './checks.ts'
import type { Contract, ContractSubject, ControllerEnvironment } from './contract-subject.ts'
import { idleEnvironment } from './idle-environment.ts'
import { ownReasons, type Script, scripted } from './scripted-gates.ts'
import { setUpControllers } from './set-up-controllers.ts'
import { setUpPasses } from './set-up-passes.ts'

/** Proves the status contract for the listed reconcilers on one server, which has the kinds of all `installed` ones. */
export function statusContract(
  start: StartServer,
  subjects: readonly ContractSubject[],
  installed: readonly ContractSubject[] = subjects,
): void {
  let server: RunningServer
  let client: KubeClient
  beforeAll(async () => {
    server = await start()
    client = connect(server.connection)
    // Controllers also watch kinds that have none.
    await installKinds(client, [...new Set([...installed.map(({ kind }) => kind), ...kinds])])
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
        const { reconciler } = idleEnvironment(subject, client)
        expect(subject.kind.columns.length).toBeGreaterThan(0)
        for (const { jsonPath } of subject.kind.columns) {
          expectColumn(subject.kind, reconciler.conditions, jsonPath)
        }
      })
    },
  )
}

/** A server that has to be built first takes minutes to start. */
const startMs = 1_800_000

/** Single reconciles, with gates that return what the test scripts. */
function passes(subject: ContractSubject, client: () => KubeClient): void {
  test('a second reconcile writes nothing, however much time passes', async () => {
    const harness = await setUpPasses(subject, client())
    await harness.pass({ at: harness.last, finds: 'pass' })
    const { resourceVersion } = (await harness.read()).metadata
    for (const days of [0, 1, 30, 3650]) {
      harness.let(days * 86_400)
      expect(await harness.pass({ at: harness.last, finds: 'pass' })).toBe('settled')
    }
    expect((await harness.read()).metadata.resourceVersion).toBe(resourceVersion)
  })

  test('a gate that does not pass blocks those after it, which are Unknown', async () => {
    const harness = await setUpPasses(subject, client())
    const { gates } = harness.reconciler.conditions
    for (const [at, gate] of gates.entries()) {
      for (const finds of ['wait', 'stall', 'throw'] as const) {
        const object = await harness.onNewObject({ at, finds })
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
    const harness = await setUpPasses(subject, client())
    for (const [at, gate] of harness.reconciler.conditions.gates.entries()) {
      for (const reason of ownReasons(gate))
        await harness.onNewObject({ at, finds: 'wait', reason })
    }
  })

  test('an error never leaves a True summary for a newer generation', async () => {
    const harness = await setUpPasses(subject, client())
    await harness.pass({ at: harness.last, finds: 'pass' })
    const before = await harness.read()
    if (subject.isImmutable) {
      await expect(harness.change()).rejects.toThrow(/cannot be changed/)
      expect((await harness.read()).metadata.generation).toBe(before.metadata.generation)
      return
    }
    await harness.change()
    const kind = await harness.pass({ at: 0, finds: 'throw' })
    const after = await harness.read()
    expect(kind).toBe('written')
    expect(after.metadata.generation).toBeGreaterThan(before.metadata.generation ?? 0)
    expect(after.status.observedGeneration).toBe(before.status.observedGeneration)
    const ready = after.status.conditions.find(({ type }) => type === 'Ready')
    // Ready is a promise, so that it becomes False for a living kind; a run that has not finished has no outcome yet.
    expect(ready?.status).toBe(subject.kind.summary === 'Ready' ? 'False' : 'Unknown')
  })

  test('in any sequence of results, timestamps change only with the values that they describe', async () => {
    const harness = await setUpPasses(subject, client())
    const script = fc.record({
      at: fc.integer({ min: 0, max: harness.last }),
      finds: fc.constantFrom('pass' as const, 'wait' as const, 'stall' as const, 'throw' as const),
      seconds: fc.integer({ min: 0, max: 100_000 }),
      message: fc.constantFrom('', 'a', 'b'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(script, { minLength: 2, maxLength: 8 }), async (steps) => {
        await harness.fresh()
        let before: Contract | undefined
        for (const { seconds, ...step } of steps) {
          harness.let(seconds)
          await harness.pass(step)
          const after = await harness.read()
          expectContract(harness.reconciler.conditions, after)
          if (before) expectTransition(before, after, rfc3339(harness.now()))
          before = after
        }
      }),
      { numRuns: 15 },
    )
  })

  test('every outcome sets finishedAt, and nothing changes afterwards', async () => {
    const harness = await setUpPasses(subject, client())
    if (!isRun(harness.reconciler)) {
      expect(
        (await harness.onNewObject({ at: harness.last, finds: 'pass' })).status.finishedAt,
      ).toBe(undefined)
      return
    }
    const { gates, failures } = harness.reconciler.conditions
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
      const ended = await harness.onNewObject(end)
      expect(ended.status.finishedAt, JSON.stringify(end)).toBe(rfc3339(harness.now()))
      harness.let(1000)
      for (const other of ends.slice(0, 3)) expect(await harness.pass(other)).toBe('settled')
      expect(await harness.read()).toEqual(ended)
    }
  })
}

/** Complete controllers with the real gates. */
function controllers(subject: ContractSubject, client: () => KubeClient): void {
  test('a missing dependency is noticed when it appears, and nothing is written after that', async () => {
    const harness = await setUpControllers(subject, client())
    const controller = harness.start()
    const object = await harness.create()
    await until(async () => (await object()).status.observedGeneration === 1)
    if (!subject.dependency) return
    expect(await harness.isSettled(object)).toBe(false)
    await harness.dependencyAppears()
    await until(() => harness.isSettled(object))
    const { metadata, status } = await object()
    await controller.reconcileAgain(metadata)
    expect(await object()).toMatchObject({
      metadata: { resourceVersion: metadata.resourceVersion },
      status,
    })
  })

  test('a restart changes nothing', async () => {
    const harness = await setUpControllers(subject, client())
    await harness.dependencyAppears()
    const first = harness.start()
    const object = await harness.create()
    await until(() => harness.isSettled(object))
    await first.stop()
    const before = await object()
    const second = harness.start()
    await until(() => second.hasReconciled(before.metadata.name))
    await second.stop()
    expect(await object()).toEqual(before)
  })

  test('two racing controllers never write a mixed status', async () => {
    const harness = await setUpControllers(subject, client())
    const seen: Contract[] = []
    const stopWatching = await harness.watch((object) => seen.push(object))
    let round = 0
    const signed = (finds: 'pass' | 'wait') => (environment: ControllerEnvironment) =>
      scripted(environment.reconciler, () => ({
        at: 0,
        finds,
        message: `${finds} in round ${round}`,
      }))
    const racers = (['pass', 'wait'] as const).map((finds) => harness.start(signed(finds)))
    const objects = await Promise.all(Array.from({ length: 5 }, () => harness.create()))
    // The race for an object starts only when both controllers have written to it.
    for (const object of objects) {
      const { name } = (await object()).metadata
      const hasReported = (finds: string) =>
        seen.some(
          ({ metadata, status }) =>
            metadata.name === name &&
            status?.conditions?.some(({ message }) => message.startsWith(`${finds} in round`)),
        )
      await until(() => hasReported('pass') && hasReported('wait'))
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
    const gates: readonly string[] = harness.reconciler.gates.map(({ condition }) => condition)
    const written = seen.filter(({ status }) => status.conditions !== undefined)
    expect(written.length).toBeGreaterThan(objects.length)
    // Every status must come from one controller alone, and the phase must follow from its conditions.
    for (const object of written) {
      const { conditions, phase } = object.status
      const reported = conditions.filter(
        ({ type, status }) => gates.includes(type) && status !== 'Unknown',
      )
      const signatures = new Set(reported.map(({ message }) => message))
      expect(signatures.size, [...signatures].join(' | ')).toBe(1)
      expect(phase).toBe(harness.reconciler.phase?.(conditions))
    }
  })
}
