import type { Condition, KubeObject } from '@agents/kube'
import { livingConditions, phaseTable, runConditions } from '@agents/status'
import { describe, expect, test } from 'vitest'
import type { GateContext } from './gate.ts'
import { type GatedStatus, type Reconciled, reconcile } from './reconcile.ts'
import { ReconcileTimeout } from './reconcile-timeout.ts'
import { livingReconciler, runReconciler } from './reconciler.ts'
import {
  cancelled,
  failed,
  type GateVerdict,
  pass,
  type RunGateVerdict,
  stall,
  succeeded,
  wait,
} from './verdict.ts'

interface Detail {
  first: string
  second: string
}

const doc = { True: 'Yes.', False: 'No.' }
const living = livingConditions({
  gates: [
    { type: 'Found', notReady: 'NotFound', doc, reasons: { OK: 'It is.', Missing: 'It is not.' } },
    { type: 'Linked', doc, reasons: { OK: 'It is.', Broken: 'It is not.' } },
  ],
})
const phase = phaseTable(living, [
  { phase: 'Good', when: { Ready: 'True' }, doc: 'All is well.' },
  { phase: 'Bad', doc: 'Something is not.' },
])

function context(signal = new AbortController().signal): GateContext {
  return {
    now: new Date('2026-03-01T12:00:00Z'),
    signal,
  }
}

function object(status?: unknown, generation = 3): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'n', generation, resourceVersion: '1' },
    ...(status !== undefined && { status }),
  }
}

type Answer<Reason extends string> = () =>
  | GateVerdict<Reason, Detail>
  | Promise<GateVerdict<Reason, Detail>>

function thing(found: Answer<'OK' | 'Missing'>, linked: Answer<'OK' | 'Broken'>) {
  return livingReconciler<KubeObject, Detail, { Found: 'OK' | 'Missing'; Linked: 'OK' | 'Broken' }>(
    {
      kind: 'Thing',
      conditions: living,
      phase,
      gates: [
        { condition: 'Found', check: found },
        { condition: 'Linked', check: linked, blockedDetail: () => ({ second: 'not asked' }) },
      ],
    },
  )
}

function said({ status }: Reconciled) {
  return (status.conditions ?? []).map(
    ({ type, status: value, reason }: Condition) => `${type}=${value}/${reason}`,
  )
}

describe('the scope of a reconcile', () => {
  interface Shared {
    found?: string
  }
  const scoped = (seen: Shared[]) =>
    livingReconciler({
      kind: 'Thing',
      conditions: living,
      phase,
      scope: ({ metadata }: KubeObject): Shared => ({ found: `${metadata.name}:` }),
      gates: [
        {
          condition: 'Found',
          check: (_object: KubeObject, _detail: Partial<Detail>, { scope }) => {
            scope.found += 'x'
            return pass('OK', '')
          },
        },
        {
          condition: 'Linked',
          check: (_object: KubeObject, _detail: Partial<Detail>, { scope }) => {
            seen.push(scope)
            return pass('OK', '')
          },
        },
      ],
    })

  test('is shared by the gates and never shown in the status', async () => {
    const seen: Shared[] = []
    const { status } = await reconcile(scoped(seen), object(), context())
    expect(seen).toEqual([{ found: 'a:x' }])
    expect(JSON.stringify(status)).not.toContain('a:x')
  })

  test('is created for each reconcile', async () => {
    const seen: Shared[] = []
    const reconciler = scoped(seen)
    const same = object()
    const pass = context()
    await reconcile(reconciler, same, pass)
    await reconcile(reconciler, same, pass)
    expect(seen).toEqual([{ found: 'a:x' }, { found: 'a:x' }])
    expect(seen[0]).not.toBe(seen[1])
  })

  test('is read by the work of a run too', async () => {
    const conditions = runConditions({ gates: [], progress: {}, failures: {} })
    const reconciler = runReconciler({
      kind: 'Run',
      conditions,
      scope: () => ({ outcome: 'it worked' }),
      gates: [],
      work: (_object: KubeObject, _detail: Partial<Detail>, { scope }) => succeeded(scope.outcome),
    })
    const { status } = await reconcile(reconciler, object(), context())
    expect(status.conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({
      status: 'True',
      message: 'it worked',
    })
  })
})

describe('a living kind', () => {
  test('whose gates pass is ready and shows their details', async () => {
    const seen: unknown[] = []
    const reconciler = livingReconciler({
      kind: 'Thing',
      conditions: living,
      phase,
      gates: [
        { condition: 'Found', check: () => pass('OK', '', { detail: { first: 'x' } }) },
        {
          condition: 'Linked',
          check: (_object: KubeObject, detail: Partial<Detail>) => {
            seen.push(detail)
            return pass('OK', '', { recheckAfterMs: 500 })
          },
        },
      ],
    })
    const result = await reconcile(reconciler, object({ second: 'kept' }), context())
    expect(said(result)).toEqual(['Ready=True/OK', 'Found=True/OK', 'Linked=True/OK'])
    expect(result.status).toMatchObject({
      phase: 'Good',
      observedGeneration: 3,
      first: 'x',
      second: 'kept',
    })
    expect(seen).toEqual([{ first: 'x' }])
    expect(result).toMatchObject({ recheckAfterMs: 500, failure: undefined })
  })

  test.each([
    {
      because: 'a gate that waits blocks the next and is rechecked',
      found: () => wait('Missing', 'not there', 2000),
      conditions: [
        'Ready=False/NotFound',
        'Reconciling=True/Missing',
        'Found=False/Missing',
        'Linked=Unknown/Blocked',
      ],
      recheckAfterMs: 2000,
    },
    {
      because: 'a gate that stalls is not rechecked by itself',
      found: () => stall('Missing', 'not there'),
      conditions: [
        'Ready=False/NotFound',
        'Stalled=True/Missing',
        'Found=False/Missing',
        'Linked=Unknown/Blocked',
      ],
      recheckAfterMs: undefined,
    },
  ] as const)('$because', async ({ found, conditions, recheckAfterMs }) => {
    const result = await reconcile(
      thing(found, () => pass('OK', '')),
      object(),
      context(),
    )
    expect(said(result)).toEqual(conditions)
    expect(result.status).toMatchObject({
      phase: 'Bad',
      observedGeneration: 3,
      second: 'not asked',
    })
    expect(result.recheckAfterMs).toBe(recheckAfterMs)
  })

  test.each([
    {
      because: 'an error that a gate throws is shown without secrets',
      check: () => {
        throw new Error('fetch https://user:hunter2@git.example/x failed')
      },
    },
    {
      because: 'an error that a gate rejects with is shown without secrets',
      check: () => Promise.reject(new Error('fetch https://user:hunter2@git.example/x failed')),
    },
  ])('$because, and does not advance the observed generation', async ({ check }) => {
    const before = { observedGeneration: 2, conditions: [] }
    const result = await reconcile(
      thing(check, () => pass('OK', '')),
      object(before),
      context(),
    )
    expect(said(result)).toEqual([
      'Ready=False/CheckFailed',
      'Reconciling=True/CheckFailed',
      'Found=Unknown/CheckFailed',
      'Linked=Unknown/Blocked',
    ])
    expect(result.status.observedGeneration).toBe(2)
    expect(JSON.stringify(result.status)).toContain('git.example')
    expect(JSON.stringify(result.status)).not.toContain('hunter2')
    expect(result.failure?.error).toBeInstanceOf(Error)
  })

  test('fails the gate if it returns a reason that it did not declare', async () => {
    const answer = (() => pass('Undeclared', '')) as unknown as Answer<'OK'>
    const result = await reconcile(
      thing(answer, () => pass('OK', '')),
      object(),
      context(),
    )
    expect(said(result)[2]).toBe('Found=Unknown/CheckFailed')
    expect(result.failure?.error).toBeInstanceOf(TypeError)
  })

  test('does not wait for a gate that hangs', async () => {
    const control = new AbortController()
    const hanging = thing(
      () => new Promise<never>(() => undefined),
      () => pass('OK', ''),
    )
    const result = reconcile(hanging, object(), context(control.signal))
    control.abort(new ReconcileTimeout(3000))
    expect(said(await result)[2]).toBe('Found=Unknown/CheckFailed')
    expect((await result).failure?.error).toBeInstanceOf(ReconcileTimeout)
  })

  test('produces no status when the process ends', async () => {
    const control = new AbortController()
    const hanging = thing(
      () => new Promise<never>(() => undefined),
      () => pass('OK', ''),
    )
    const result = reconcile(hanging, object(), context(control.signal))
    control.abort(new Error('stopping'))
    await expect(result).rejects.toThrow('stopping')
  })

  test('removes a detail that a gate sets to undefined', async () => {
    const reconciler = thing(
      () => pass('OK', '', { detail: { first: undefined } as unknown as Detail }),
      () => pass('OK', ''),
    )
    const { status } = await reconcile(reconciler, object({ first: 'old' }), context())
    expect(status.first).toBeUndefined()
  })

  test('cannot be declared with gates in another order', () => {
    expect(() =>
      livingReconciler({
        kind: 'Thing',
        conditions: living,
        gates: [
          { condition: 'Linked', check: () => pass('OK', '') },
          { condition: 'Found', check: () => pass('OK', '') },
        ],
      }),
    ).toThrow('Thing declares the gates Found, Linked, not Linked, Found')
  })
})

describe('a run', () => {
  const conditions = runConditions({
    gates: [
      {
        type: 'Accepted',
        doc,
        reasons: { Accepted: 'It is.', Missing: 'It is not.', Refused: 'Never.' },
      },
    ],
    failures: { TimedOut: 'Too long.' },
  })
  type GateAnswer = RunGateVerdict<
    'Accepted' | 'Missing' | 'Refused' | 'TimedOut' | 'Failed',
    object
  >
  type WorkAnswer = RunGateVerdict<'Running' | 'TimedOut' | 'Failed', object>
  const run = (gate: () => GateAnswer, work: () => WorkAnswer) =>
    runReconciler({
      kind: 'Run',
      conditions,
      gates: [{ condition: 'Accepted', check: gate }],
      work: (_object: KubeObject) => work(),
    })
  const accepted = () => pass('Accepted', '')
  const running = () => wait('Running', '', 1000)

  test.each([
    {
      because: 'waits for its gate',
      gate: () => wait('Missing', '', 1),
      work: running,
      phase: 'Pending',
      stamps: [],
    },
    {
      because: 'runs after its gate passed',
      gate: accepted,
      work: running,
      phase: 'Running',
      stamps: ['startedAt'],
    },
    {
      because: 'succeeds',
      gate: accepted,
      work: () => succeeded(''),
      phase: 'Succeeded',
      stamps: ['finishedAt'],
    },
    {
      because: 'fails because of its work',
      gate: accepted,
      work: () => failed('TimedOut', ''),
      phase: 'Failed',
      stamps: ['finishedAt'],
    },
    {
      because: 'fails because of its gate',
      gate: () => failed('Refused', ''),
      work: running,
      phase: 'Failed',
      stamps: ['finishedAt'],
    },
    {
      because: 'is cancelled before it ran',
      gate: () => cancelled(''),
      work: running,
      phase: 'Cancelled',
      stamps: ['finishedAt'],
    },
  ] as const)('$because', async ({ gate, work, phase: expected, stamps }) => {
    const { status } = await reconcile(run(gate, work), object(), context())
    expect(status.phase).toBe(expected)
    expect(Object.keys(status).filter((name) => name.endsWith('At'))).toEqual(stamps)
  })

  test('that has ended is not evaluated and stays unchanged', async () => {
    const { status } = await reconcile(
      run(accepted, () => succeeded('')),
      object(),
      context(),
    )
    let asked = 0
    const count = () => {
      asked += 1
      return failed('Failed', '')
    }
    const later = { ...context(), now: new Date('2026-03-02T00:00:00Z') }
    const again = await reconcile(run(count, count), object(status), later)
    expect(asked).toBe(0)
    expect(again.status).toEqual(status)
  })

  test('keeps its first start time, however often it is reconciled', async () => {
    let status: GatedStatus | undefined
    for (const hour of ['10', '11', '12']) {
      const now = new Date(`2026-03-01T${hour}:00:00Z`)
      const result = await reconcile(run(accepted, running), object(status), { ...context(), now })
      status = result.status
    }
    expect(status?.startedAt).toBe('2026-03-01T10:00:00Z')
  })
})
