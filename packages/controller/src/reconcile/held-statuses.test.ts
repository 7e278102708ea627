import type { KubeObject } from '@agents/kube'
import { runConditions } from '@agents/status'
import { describe, expect, test } from 'vitest'
import { HeldStatuses } from './held-statuses.ts'
import { reconcileObject } from './reconcile-object.ts'
import { runReconciler } from './reconciler.ts'
import { pass, type RunGateVerdict, succeeded, wait } from './verdict.ts'

const conditions = runConditions({
  gates: [
    {
      type: 'Started',
      doc: { True: 'It started.', False: 'It has not started.' },
      reasons: { Started: 'It started.', Queued: 'It waits.', Submitting: 'It is handed over.' },
    },
  ],
  progress: { Running: 'It runs.' },
})

const queued = wait('Queued', 'place 3', 60_000)
const submitting = wait('Submitting', 'handed over', 30_000, {
  detail: { job: 'a-job' },
  holdForMs: 1000,
})

const submittedAgain = wait('Submitting', 'handed over again', 30_000, { holdForMs: 1000 })

/** One object on a server that accepts every write unless told otherwise, and a process that reconciles it. */
function setUp() {
  const held = new HeldStatuses()
  const written: string[] = []
  let current: KubeObject = {
    apiVersion: 'example.com/v1',
    kind: 'Walk',
    metadata: { name: 'a', namespace: 'n', uid: 'u', generation: 1, resourceVersion: '1' },
  }
  const write = (change: Partial<KubeObject>): KubeObject => {
    const resourceVersion = `${Number(current.metadata.resourceVersion) + 1}`
    current = {
      ...current,
      ...change,
      metadata: { ...current.metadata, ...change.metadata, resourceVersion },
    }
    return current
  }
  let failures = 0
  const updateStatus = async ({ status }: KubeObject) => {
    if (failures > 0) {
      failures -= 1
      throw new Error('unavailable')
    }
    written.push(reasonOf({ ...current, status }))
    return write({ status })
  }
  const look = async (
    atMs: number,
    verdict: RunGateVerdict<string>,
    see: (job: unknown) => void = () => undefined,
  ) => {
    const reconciler = runReconciler({
      kind: 'Walk',
      conditions,
      gates: [
        {
          condition: 'Started',
          check: (object: KubeObject) => {
            see((object.status as { job?: unknown } | undefined)?.job)
            return hasStarted(verdict) ? pass('Started', 'it started') : (verdict as never)
          },
        },
      ],
      work: () => verdict as never,
    })
    return reconcileObject(reconciler, current, {
      now: new Date(atMs),
      signal: new AbortController().signal,
      api: { patch: async () => current, updateStatus },
      remember: () => undefined,
      held,
    })
  }
  const failWrites = (count: number): void => {
    failures = count
  }
  return { held, written, look, write, failWrites }
}

function hasStarted(verdict: RunGateVerdict<string>): boolean {
  return verdict.kind !== 'wait' || verdict.reason === 'Running'
}

function reasonOf({ status }: KubeObject): string {
  const { conditions: all } = status as { conditions: { type: string; reason: string }[] }
  return all.find(({ type }) => type === 'Succeeded')?.reason ?? ''
}

describe('a status that is likely to change soon', () => {
  test('is held back for a shorter time when the object has none', async () => {
    const { look, written } = setUp()
    const long = { ...submitting, holdForMs: 3000 }
    expect(await look(0, long)).toEqual({ kind: 'settled', recheckAfterMs: 1000 })
    expect(written).toEqual([])
    await look(1000, long)
    expect(written).toEqual(['Submitting'])
  })

  test('is held back for the requested time, and then written', async () => {
    const { look, written } = setUp()
    await look(0, queued)
    expect(await look(100, submitting)).toEqual({ kind: 'settled', recheckAfterMs: 1000 })
    expect(await look(400, submitting)).toEqual({ kind: 'settled', recheckAfterMs: 700 })
    const told = await look(1100, submitting)
    expect(told).toMatchObject({ kind: 'written', transition: { from: { reason: 'Queued' } } })
    expect(written).toEqual(['Queued', 'Submitting'])
  })

  test('is written at the next attempt if the write fails when it is due', async () => {
    const { look, written, failWrites } = setUp()
    await look(0, queued)
    await look(100, submitting)
    failWrites(2)
    await expect(look(1100, submitting)).rejects.toThrow('unavailable')
    await expect(look(1200, submitting)).rejects.toThrow('unavailable')
    expect(await look(1300, submitting)).toMatchObject({ kind: 'written' })
    expect(written).toEqual(['Queued', 'Submitting'])
    // The next one is held from its own beginning.
    expect(await look(1400, submittedAgain)).toEqual({ kind: 'settled', recheckAfterMs: 1000 })
  })

  test('is written at once if the clock was set back', async () => {
    const { look, written } = setUp()
    await look(3_600_000, queued)
    await look(3_600_100, submitting)
    expect(await look(500, submitting)).toMatchObject({ kind: 'written' })
    expect(written).toEqual(['Queued', 'Submitting'])
  })

  test('is replaced by the next status, with one transition', async () => {
    const { look, written, held } = setUp()
    await look(0, queued)
    await look(100, submitting)
    const end = await look(300, succeeded('done'))
    expect(end).toMatchObject({
      kind: 'written',
      transition: { from: { reason: 'Queued' }, to: { status: 'True' } },
    })
    expect(written).toEqual(['Queued', 'Succeeded'])
    expect(held.size).toBe(0)
  })

  test.each([
    {
      because: 'is the status that the next reconcile sees',
      meanwhile: undefined,
      sees: 'a-job',
    },
    {
      because: 'remains if the spec changes',
      meanwhile: { spec: { cancel: true } },
      sees: 'a-job',
    },
    {
      because: 'is dropped if another client writes a status',
      meanwhile: { status: { conditions: [], job: 'of-another' } },
      sees: 'of-another',
    },
    {
      because: 'does not apply to a later object of the same name',
      meanwhile: { metadata: { name: 'a', namespace: 'n', uid: 'later' } },
      sees: undefined,
    },
  ])('$because', async ({ meanwhile, sees }) => {
    const { look, write } = setUp()
    await look(0, queued)
    await look(100, submitting)
    if (meanwhile) write(meanwhile)
    const seen: unknown[] = []
    await look(200, submitting, (job) => seen.push(job))
    expect(seen).toEqual([sees])
  })

  test.each([
    {
      because: 'is written at once if few statuses are written',
      writes: 20,
      written: ['Queued', 'Running'],
    },
    { because: 'is held back if many statuses are written', writes: 21, written: ['Queued'] },
  ])('and may be so only in bursts: $because', async ({ writes, written: expected }) => {
    const { look, held, written } = setUp()
    const running = wait('Running', 'it runs', 30_000, { holdWhenBusyMs: 1000 })
    await look(0, queued)
    for (let one = 1; one < writes; one += 1) held.countWrite(new Date(500))
    await look(900, running)
    expect(written).toEqual(expected)
  })

  test.each([
    { because: 'soon if few statuses change', changesPerSecond: 10, writtenAt: 2000 },
    { because: 'later in a burst', changesPerSecond: 30, writtenAt: 6000 },
  ])('and is the first one, is written $because', async ({ changesPerSecond, writtenAt }) => {
    const { look, held, written } = setUp()
    const first = { ...submitting, holdForMs: 3000, holdWhenBusyMs: 5000 }
    const change = (atMs: number) => {
      for (let one = 0; one < changesPerSecond; one += 1) held.countWrite(new Date(atMs))
    }
    change(999)
    expect(await look(1000, first)).toEqual({ kind: 'settled', recheckAfterMs: writtenAt - 1000 })
    change(writtenAt - 2)
    await look(writtenAt - 1, first)
    expect(written).toEqual([])
    await look(writtenAt, first)
    expect(written).toEqual(['Submitting'])
  })

  test('keeps its time when the burst ends', async () => {
    const { look, held, written } = setUp()
    const waiting = wait('Queued', 'it waits', 30_000, { holdWhenBusyMs: 5000 })
    for (let one = 0; one < 30; one += 1) held.countWrite(new Date(999))
    await look(1000, waiting)
    for (let one = 0; one < 20; one += 1) {
      const metadata = { namespace: 'n', name: `other-${one}` }
      held.hold({ apiVersion: 'v1', kind: 'Walk', metadata }, {}, 60_000, new Date(1000))
    }
    expect(held.isBusy(new Date(4000))).toBe(false)
    expect(await look(4000, waiting)).toEqual({ kind: 'settled', recheckAfterMs: 2000 })
    // The next state may be held for less than has passed already.
    const next = { ...submitting, holdForMs: 1000, holdWhenBusyMs: 5000 }
    expect(await look(5000, next)).toEqual({ kind: 'settled', recheckAfterMs: 1000 })
    expect(written).toEqual([])
    await look(6000, next)
    expect(written).toEqual(['Submitting'])
  })

  test('is written without a burst when the next state is not usually held', async () => {
    const { look, written } = setUp()
    await look(0, { ...submitting, holdForMs: 3000, holdWhenBusyMs: 5000 })
    expect(written).toEqual([])
    await look(100, wait('Running', 'it runs', 30_000, { holdWhenBusyMs: 5000 }))
    expect(written).toEqual(['Running'])
  })

  test('counts as a change when it is held back, so that a burst stays a burst', () => {
    const held = new HeldStatuses()
    for (let at = 0; at < 21; at += 1) {
      const object = { apiVersion: 'v1', kind: 'Walk', metadata: { name: `${at}` } }
      expect(held.isBusy(new Date(500))).toBe(false)
      // Holding it again is not another change.
      for (const _time of [1, 2]) held.hold(object, {}, 1000, new Date(500))
    }
    expect(held.isBusy(new Date(500))).toBe(true)
  })

  test('is held back longer if many of its namespace are, whatever other namespaces do', () => {
    const held = new HeldStatuses()
    const named = (namespace: string, name: string): KubeObject => ({
      ...{ apiVersion: 'v1', kind: 'Walk' },
      metadata: { namespace, name },
    })
    const holdMs = (namespace: string) => held.busyHoldMs(named(namespace, 'next'), 5000)
    const hold = (count: number) => {
      for (let at = 0; at < count; at += 1) {
        held.hold(named('busy', `${at}`), {}, 60_000, new Date(0))
      }
    }
    hold(50)
    expect(holdMs('busy')).toBe(5000)
    hold(200)
    expect(holdMs('busy')).toBe(20_000)
    hold(5000)
    expect(holdMs('busy')).toBe(60_000)
    expect(holdMs('quiet')).toBe(5000)
    for (let at = 100; at < 5000; at += 1) held.drop(named('busy', `${at}`))
    expect(holdMs('busy')).toBe(10_000)
    expect(held.busyHoldMs(named('busy', '1'), 5000)).toBe(60_000)
  })

  test('is held back once: what changes without a condition is written at once, in bursts too', async () => {
    const { look, held, written } = setUp()
    const running = (message: string) => wait('Running', message, 30_000, { holdWhenBusyMs: 1000 })
    await look(0, running('it runs'))
    for (let one = 0; one < 200; one += 1) held.countWrite(new Date(500))
    expect(await look(600, running('half of it is done'))).toMatchObject({ kind: 'written' })
    expect(written).toEqual(['Running', 'Running'])
  })

  test('of a deleted object is eventually dropped', () => {
    const held = new HeldStatuses()
    const named = (name: string): KubeObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Walk',
      metadata: { name },
      status: {},
    })
    for (let at = 0; at < 50; at += 1) held.hold(named(`old-${at}`), {}, 1000, new Date(at))
    held.hold(named('new'), {}, 1000, new Date(86_400_000))
    expect(held.size).toBe(1)
  })
})
