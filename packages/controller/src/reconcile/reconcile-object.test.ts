import { KubeError, type KubeObject } from '@agents/kube'
import { livingConditions, runConditions } from '@agents/status'
import { describe, expect, test } from 'vitest'
import type { MergePatch } from '../objects/object-api.ts'
import type { Gate } from './gate.ts'
import { reconcileObject } from './reconcile-object.ts'
import { livingReconciler, type Reconciler, runReconciler } from './reconciler.ts'
import { type Step, stepDone, stepWaits } from './step.ts'
import { type Pass, pass, succeeded } from './verdict.ts'

const doc = { True: 'Yes.', False: 'No.' }
const conditions = livingConditions({ gates: [{ type: 'Good', doc, reasons: { OK: 'It is.' } }] })
const finalizer = 'example.com/clean-up'

type Check = (...of: Parameters<Gate['check']>) => Promise<Fine> | Fine
type Fine = Pass<'OK', object>

function thing(extra: Partial<Reconciler> = {}, check: Check = () => pass('OK', 'fine')) {
  return livingReconciler({
    kind: 'Thing',
    conditions,
    gates: [{ condition: 'Good', check }],
    ...(extra.finalize && { finalize: extra.finalize }),
  })
}

function object(metadata: Partial<KubeObject['metadata']> = {}, status?: unknown): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'n', generation: 1, resourceVersion: '10', ...metadata },
    ...(status !== undefined && { status }),
  }
}

function refusal(reason: string) {
  return new KubeError(reason, { code: 400, reason })
}

/** A server that accepts every patch and returns the patched object, or rejects the named writes. */
function setUp(refuse: { patch?: string; updateStatus?: string } = {}) {
  const writes: { to: 'patch' | 'updateStatus'; patch: MergePatch }[] = []
  const remembered: KubeObject[] = []
  const write = (to: 'patch' | 'updateStatus', patch: MergePatch) => {
    writes.push({ to, patch })
    const reason = refuse[to]
    if (reason) throw refusal(reason)
    const { metadata, status } = patch as { metadata: object; status?: object }
    return { ...object({ ...metadata, resourceVersion: '11' }), ...(status && { status }) }
  }
  const context = {
    now: new Date('2026-03-01T12:00:00Z'),
    signal: new AbortController().signal,
    api: {
      patch: async (_key: unknown, patch: MergePatch) => write('patch', patch),
      updateStatus: async ({ metadata, status }: KubeObject) =>
        write('updateStatus', { metadata, status }),
    },
    remember: (written: KubeObject) => void remembered.push(written),
  }
  return { writes, remembered, context }
}

describe('one reconcile', () => {
  test('writes once, guarded by the reconciled version, and remembers the response', async () => {
    const { writes, remembered, context } = setUp()
    const result = await reconcileObject(thing(), object(), context)
    expect(result).toMatchObject({ kind: 'written', transition: { to: { status: 'True' } } })
    expect(writes).toHaveLength(1)
    expect(writes[0]).toMatchObject({
      to: 'updateStatus',
      patch: {
        metadata: { resourceVersion: '10' },
        status: { observedGeneration: 1, updatedAt: '2026-03-01T12:00:00Z' },
      },
    })
    expect(remembered.map(({ metadata }) => metadata.resourceVersion)).toEqual(['11'])
  })

  test('writes nothing if nothing has changed', async () => {
    const first = setUp()
    await reconcileObject(thing(), object(), first.context)
    const { writes, context } = setUp()
    const later = { ...context, now: new Date('2027-01-01T00:00:00Z') }
    const result = await reconcileObject(thing(), object({}, first.writes[0]?.patch.status), later)
    expect(result).toEqual({ kind: 'settled' })
    expect(writes).toEqual([])
  })

  test.each([
    { because: 'a conflict drops the result', reason: 'Conflict', kind: 'conflict' },
    { because: 'a deleted object needs no further action', reason: 'NotFound', kind: 'gone' },
  ])('$because', async ({ reason, kind }) => {
    const { context, remembered } = setUp({ updateStatus: reason })
    expect(await reconcileObject(thing(), object(), context)).toEqual({ kind })
    expect(remembered).toEqual([])
  })

  test('throws if the server rejects the write for another reason', async () => {
    const { context } = setUp({ updateStatus: 'Forbidden' })
    await expect(reconcileObject(thing(), object(), context)).rejects.toMatchObject({
      reason: 'Forbidden',
    })
  })

  test('does not mistake a NotFound of a gate for one of its own write', async () => {
    const { context, writes } = setUp()
    const failing = thing({}, () => {
      throw refusal('NotFound')
    })
    const result = await reconcileObject(failing, object(), context)
    expect(result).toMatchObject({ kind: 'written', failure: { error: { reason: 'NotFound' } } })
    expect(writes).toHaveLength(1)
  })
})

describe('finalizers', () => {
  const steps = (log: string[], second: () => ReturnType<Step['run']> = () => stepDone): Step[] => [
    {
      name: 'first',
      run: () => {
        log.push('first')
        return stepDone
      },
    },
    {
      name: 'second',
      run: () => {
        log.push('second')
        return second()
      },
    },
  ]
  const deleting = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['other', finalizer] }

  test('are added before anything else is done', async () => {
    const { writes, context } = setUp()
    await reconcileObject(
      thing({ finalize: { finalizer, steps: [] } }),
      object({ finalizers: ['other'] }),
      context,
    )
    expect(writes.map(({ to }) => to)).toEqual(['patch', 'updateStatus'])
    expect(writes[0]?.patch).toEqual({
      metadata: { resourceVersion: '10', finalizers: ['other', finalizer] },
    })
    expect(writes[1]?.patch).toMatchObject({ metadata: { resourceVersion: '11' } })
  })

  test('are removed after the last step, without a status write', async () => {
    const { writes, context } = setUp()
    const log: string[] = []
    const result = await reconcileObject(
      thing({ finalize: { finalizer, steps: steps(log) } }),
      object(deleting),
      context,
    )
    expect(result).toEqual({ kind: 'deleting' })
    expect(log).toEqual(['first', 'second'])
    expect(writes).toEqual([
      { to: 'patch', patch: { metadata: { resourceVersion: '10', finalizers: ['other'] } } },
    ])
  })

  test('remain while a step waits', async () => {
    const { writes, context } = setUp()
    const finalize = { finalizer, steps: steps([], () => stepWaits('a Job still runs', 700)) }
    const result = await reconcileObject(thing({ finalize }), object(deleting), context)
    expect(result).toEqual({
      kind: 'deleting',
      recheckAfterMs: 700,
      waitsFor: 'second: a Job still runs',
    })
    expect(writes).toEqual([])
  })

  test('remain while a step throws, and the error is rethrown', async () => {
    const { writes, context } = setUp()
    const finalize = {
      finalizer,
      steps: steps([], () => {
        throw new Error('no answer')
      }),
    }
    await expect(reconcileObject(thing({ finalize }), object(deleting), context)).rejects.toThrow(
      'no answer',
    )
    expect(writes).toEqual([])
  })

  test('that are no longer added are still removed', async () => {
    const finalize = { finalizer, isAdded: false, steps: [] }
    const living = setUp()
    await reconcileObject(thing({ finalize }), object({ finalizers: ['other'] }), living.context)
    expect(living.writes.map(({ to }) => to)).toEqual(['updateStatus'])
    const { writes, context } = setUp()
    await reconcileObject(thing({ finalize }), object(deleting), context)
    expect(writes).toEqual([
      { to: 'patch', patch: { metadata: { resourceVersion: '10', finalizers: ['other'] } } },
    ])
  })

  test('of other controllers are ignored', async () => {
    const { writes, context } = setUp()
    const log: string[] = []
    const finalize = { finalizer, steps: steps(log) }
    const result = await reconcileObject(
      thing({ finalize }),
      object({ ...deleting, finalizers: ['other'] }),
      context,
    )
    expect(result).toEqual({ kind: 'deleting' })
    expect([...log, ...writes]).toEqual([])
  })
})

describe('a finalizer that is added alongside the gates', () => {
  const finalize = (steps: Step[] = []) => ({ finalizer, isAlongside: true, steps })

  test('does not delay the gates, and is written before the status', async () => {
    const { writes, context } = setUp()
    const granted = Promise.withResolvers<void>()
    const { patch } = context.api
    const api = {
      ...context.api,
      patch: async (...args: Parameters<typeof patch>) => {
        await granted.promise
        return patch(...args)
      },
    }
    const asked = Promise.withResolvers<void>()
    const check = () => {
      asked.resolve()
      return pass('OK', 'fine')
    }
    const going = reconcileObject(thing({ finalize: finalize() }, check), object(), {
      ...context,
      api,
    })
    await asked.promise
    expect(writes).toEqual([])
    granted.resolve()
    expect(await going).toMatchObject({ kind: 'written' })
    expect(writes.map(({ to }) => to)).toEqual(['patch', 'updateStatus'])
    expect(writes[1]?.patch).toMatchObject({ metadata: { resourceVersion: '11' } })
  })

  test.each([
    { because: 'another client wrote', reason: 'Conflict', kind: 'conflict' },
    { because: 'the object was deleted', reason: 'NotFound', kind: 'gone' },
  ])('leaves the status unwritten if $because', async ({ reason, kind }) => {
    const { writes, context } = setUp({ patch: reason })
    let asked = 0
    const check = () => {
      asked += 1
      return pass('OK', 'fine')
    }
    const result = await reconcileObject(thing({ finalize: finalize() }, check), object(), context)
    expect(result).toEqual({ kind })
    expect(asked).toBe(1)
    expect(writes.map(({ to }) => to)).toEqual(['patch'])
  })

  test('can be awaited by a gate that creates what must not outlive the object', async () => {
    const { writes, context } = setUp()
    const order: string[] = []
    const check = async (...[, , { finalizerAdded }]: Parameters<Check>) => {
      await finalizerAdded
      order.push(...writes.map(({ to }) => to), 'made')
      return pass('OK', 'fine')
    }
    const result = await reconcileObject(thing({ finalize: finalize() }, check), object(), context)
    expect(result).toMatchObject({ kind: 'written' })
    expect(order).toEqual(['patch', 'made'])
  })

  test('that is rejected keeps such a gate from creating it', async () => {
    const { context } = setUp({ patch: 'Conflict' })
    let made = 0
    const check = async (...[, , { finalizerAdded }]: Parameters<Check>) => {
      await finalizerAdded
      made += 1
      return pass('OK', 'fine')
    }
    const result = await reconcileObject(thing({ finalize: finalize() }, check), object(), context)
    expect(result).toEqual({ kind: 'conflict' })
    expect(made).toBe(0)
  })

  test('is not required for the steps of an object that is being deleted', async () => {
    const { writes, context } = setUp()
    const going = { deletionTimestamp: '2026-03-01T00:00:00Z', finalizers: ['other'] }
    const waiting: Step = { name: 'stop', run: () => stepWaits('a Job still runs', 700) }
    const result = await reconcileObject(
      thing({ finalize: finalize([waiting]) }),
      object(going),
      context,
    )
    expect(result).toMatchObject({ kind: 'deleting', waitsFor: 'stop: a Job still runs' })
    const done: Step = { name: 'stop', run: () => stepDone }
    expect(
      await reconcileObject(thing({ finalize: finalize([done]) }), object(going), context),
    ).toEqual({ kind: 'deleting' })
    expect(writes).toEqual([])
  })
})

test('steps after the end of a run are run at each reconcile, and can request the next one', async () => {
  const { context } = setUp()
  let runs = 0
  const run = runReconciler({
    kind: 'Run',
    conditions: runConditions({ gates: [] }),
    gates: [],
    work: () => succeeded('done'),
    afterwards: [
      {
        name: 'live no longer than allowed',
        run: () => {
          runs += 1
          return stepWaits('', 60_000)
        },
      },
      { name: 'clear away', run: () => stepWaits('', 9_000) },
      { name: 'nothing to do', run: () => stepDone },
    ],
  })
  const result = await reconcileObject(run, object(), context)
  expect(result).toMatchObject({ kind: 'written', recheckAfterMs: 9_000 })
  expect(runs).toBe(1)
})
