import { rfc3339 } from '@agents/status'
import { describe, expect, test } from 'vitest'
import type { AdmissionDecision } from './admission-decision.ts'
import { type AdmissionPolicy, evaluatePolicies, policyPass } from './admission-policies.ts'
import { admittedVerdict, permittedVerdict } from './admitted-gate.ts'
import { AdmissionHarness, noLimits } from './testing/admission-harness.ts'

const at = new Date('2026-01-01T00:00:00Z')
const never: AbortSignal = new AbortController().signal

const waits: AdmissionPolicy<unknown, unknown> = () => ({
  kind: 'wait',
  reason: 'BudgetExhausted',
  message: 'the budget is used up',
  eligibleAt: at,
})
const fails: AdmissionPolicy<unknown, unknown> = async () => ({
  kind: 'fail',
  reason: 'ApprovalDenied',
  message: 'developer denied',
})

function runWith(...types: string[]) {
  const conditions = types.map((type) => ({
    ...{ type, status: 'True' as const, reason: type, message: `${type} before` },
    lastTransitionTime: rfc3339(at),
  }))
  return {
    apiVersion: 'test/v1',
    kind: 'TestRun',
    metadata: { name: 'run', namespace: 'team', uid: 'u' },
    spec: {} as { cancel?: boolean },
    status: { conditions },
  }
}

const blocked = {
  ...runWith(),
  status: {
    conditions: [
      {
        ...{ type: 'Admitted', status: 'Unknown' as const, reason: 'Blocked', message: '' },
        lastTransitionTime: rfc3339(at),
      },
    ],
  },
}

function asked(policies: readonly AdmissionPolicy<unknown, unknown>[], holds = false) {
  const calls: string[] = []
  const question = {
    holds: () => holds,
    evaluate: () => {
      calls.push('evaluate')
      return evaluatePolicies(policies, {}, {}, never)
    },
    leave: () => void calls.push('leave'),
    request: (): AdmissionDecision => {
      calls.push('request')
      return { kind: 'admitted' }
    },
  }
  return { calls, question }
}

describe('the policies of a run', () => {
  test('are evaluated in order, and the first that does not pass decides', async () => {
    const order: string[] = []
    const named = (name: string, policy: AdmissionPolicy<unknown, unknown>) =>
      ((run, scope, signal) => {
        order.push(name)
        return policy(run, scope, signal)
      }) satisfies AdmissionPolicy<unknown, unknown>
    const all = [named('a', () => policyPass), named('b', waits), named('c', fails)]
    expect(await evaluatePolicies(all, {}, {}, never)).toMatchObject({ kind: 'wait' })
    expect(order).toEqual(['a', 'b'])
  })

  test('keep the run out of the queue while they let it wait', async () => {
    const { calls, question } = asked([waits])
    expect(await admittedVerdict(runWith('Accepted'), question)).toMatchObject({
      kind: 'wait',
      reason: 'BudgetExhausted',
      detail: { queue: { eligibleAt: rfc3339(at) } },
    })
    expect(calls).toEqual(['evaluate', 'leave'])
  })

  test('end the run', async () => {
    const { calls, question } = asked([fails])
    expect(await admittedVerdict(runWith('Accepted'), question)).toMatchObject({
      kind: 'failed',
      reason: 'ApprovalDenied',
      message: 'developer denied',
    })
    expect(calls).toEqual(['evaluate', 'leave'])
  })

  test('let a run request a slot when all of them pass', async () => {
    const { calls, question } = asked([() => policyPass, async () => policyPass])
    expect(await admittedVerdict(runWith('Accepted'), question)).toMatchObject({ kind: 'pass' })
    expect(calls).toEqual(['evaluate', 'request'])
  })

  test.each([
    { run: runWith('Admitted'), holds: false, calls: [], because: 'its status shows the slot' },
    { run: runWith(), holds: true, calls: ['request'], because: 'it has a Job' },
    {
      run: { ...runWith(), spec: { cancel: true } },
      holds: false,
      calls: [],
      because: 'it is cancelled, and needs no slot',
    },
  ])('are not asked about a run when $because', async ({ run, holds, calls }) => {
    const { calls: made, question } = asked([fails], holds)
    expect(await admittedVerdict(run, question)).toMatchObject({ kind: 'pass' })
    expect(made).toEqual(calls)
  })

  test.each([
    { because: 'a slot can be free at any moment', decision: { position: 3 }, isHeld: true },
    {
      because: 'many runs of others are ahead of it',
      decision: { position: 3, overallPosition: 1001 },
      isHeld: false,
    },
    {
      because: 'the server says that it waits for something else',
      run: blocked,
      decision: { position: 3 },
      isHeld: false,
    },
    {
      because: 'the time of the rate limit is known',
      decision: { position: 3, eligibleAt: at },
      isHeld: false,
    },
    { because: 'the queue is full', decision: { position: undefined }, isHeld: false },
    {
      because: 'only the status keeps a claim of the run',
      decision: { position: 3 },
      isUrgent: true,
      isHeld: false,
    },
  ])('$because, so in a burst the status of a waiting run is held: $isHeld', async (row) => {
    const waiting = { kind: 'waiting', reason: 'Queued', message: '', retryAfterMs: 1 } as const
    const verdict = await admittedVerdict(row.run ?? runWith('Accepted'), {
      ...asked([]).question,
      request: () => ({ ...waiting, overallPosition: 3, ...row.decision }),
      ...(row.isUrgent && { isUrgent: true }),
    })
    expect('holdWhenBusyMs' in verdict).toBe(row.isHeld)
    // Outside bursts it is written at once.
    expect(verdict).not.toHaveProperty('holdForMs')
  })

  test('decide alone about a run that needs no slot', async () => {
    const evaluate = (policy: AdmissionPolicy<unknown, unknown>) => () =>
      evaluatePolicies([policy], {}, {}, never)
    expect(await permittedVerdict(runWith(), evaluate(waits))).toMatchObject({ kind: 'wait' })
    expect(await permittedVerdict(runWith(), evaluate(fails))).toMatchObject({ kind: 'failed' })
    expect(await permittedVerdict(runWith('Started'), evaluate(fails))).toMatchObject({
      kind: 'pass',
    })
  })
})

describe('a slot', () => {
  test('is held from the decision on, and not while it is only reserved', () => {
    const one = { ...noLimits, concurrency: { ...noLimits.concurrency, cluster: 1 } }
    const harness = new AdmissionHarness(one)
    const [first, second] = [harness.create(), harness.create()]
    harness.deliver()
    const holds = (key: string) => {
      const run = harness.runs.get(key)
      return run !== undefined && harness.admission.holds(run)
    }
    harness.reconcile(first, true)
    expect(holds(first)).toBe(true)
    harness.settle()
    harness.finish(first)
    harness.deliver()
    // The slot is reserved for the second run, which a policy may still keep waiting.
    expect(holds(second)).toBe(false)
    harness.admission.forget(second)
    const third = harness.create()
    harness.deliver()
    harness.reconcile(third)
    expect(harness.started).toContain(third)
  })
})
