import type { Clock } from '@agents/kube'
import { type KubeClient, KubeError, type Lease } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../clock/manual-clock.ts'
import { type LeaderElectionOptions, LeaderElector } from './leader-elector.ts'

function refusal(reason: string, code: number) {
  return new KubeError(reason, { code, reason })
}

/** A server with one Lease and optimistic locking. While it is `down`, every request fails. */
class LeaseServer {
  lease: Lease | undefined
  down = false
  updates = 0
  #version = 0

  client(): LeaderElectionOptions['client'] {
    const answer = (lease: Lease | undefined): Lease => {
      if (this.down) throw refusal('Unreachable', 0)
      if (!lease) throw refusal('NotFound', 404)
      return structuredClone(lease)
    }
    const store = (lease: Lease): Lease => {
      this.updates += 1
      const resourceVersion = String(++this.#version)
      this.lease = structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion } })
      return answer(this.lease)
    }
    return {
      get: async () => answer(this.lease),
      create: async (_kind: unknown, lease: Lease) => {
        if (this.down) throw refusal('Unreachable', 0)
        if (this.lease) throw refusal('AlreadyExists', 409)
        return store(lease)
      },
      update: async (_kind: unknown, lease: Lease) => {
        answer(this.lease)
        if (lease.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
          throw refusal('Conflict', 409)
        }
        return store(lease)
      },
    } as unknown as Pick<KubeClient, 'get' | 'create' | 'update'>
  }
}

interface Slowness {
  /** `late`: the response arrives just before the timeout. `lost`: the request has no effect and no response. */
  reads: 'none' | 'late' | 'lost'
  writes: 'none' | 'late' | 'lost'
}

function slowly(
  client: LeaderElectionOptions['client'],
  slowness: Slowness,
  clock: ManualClock,
): LeaderElectionOptions['client'] {
  const ask = async (
    how: Slowness['reads'],
    timeoutMs: number,
    request: () => Promise<unknown>,
  ): Promise<unknown> => {
    if (how === 'none') return request()
    const answer = how === 'late' ? await request() : undefined
    const wait = how === 'late' ? timeoutMs - 1 : timeoutMs
    await new Promise<void>((resolve) => clock.after(wait, resolve))
    if (how === 'lost') throw refusal('Timeout', 504)
    return answer
  }
  type Call = [never, never, { timeoutMs: number }]
  return {
    get: (...args: Call) => ask(slowness.reads, args[2].timeoutMs, () => client.get(...args)),
    create: (...args: Call) =>
      ask(slowness.writes, args[2].timeoutMs, () => client.create(...args)),
    update: (...args: Call) =>
      ask(slowness.writes, args[2].timeoutMs, () => client.update(...args)),
  } as unknown as LeaderElectionOptions['client']
}

function setUp(
  server: Pick<LeaseServer, 'client'>,
  clock: Clock,
  identity: string,
  times: Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs'> = {},
) {
  const client = server.client()
  const statuses: boolean[] = []
  const leaders: string[] = []
  const recordedEvents: string[] = []
  const elector = new LeaderElector({
    client: {
      get: (...args) => client.get(...args),
      create: (...args) => client.create(...args),
      update: (...args) => client.update(...args),
    } as LeaderElectionOptions['client'],
    lease: { namespace: 'system', name: 'controllers' },
    identity,
    clock,
    ...times,
    random: () => 0.5,
    log: silentLogger,
    onStatus: (isLeader) => statuses.push(isLeader),
    onNewLeader: (leader) => leaders.push(leader),
    events: {
      record: (lease, { message }) => recordedEvents.push(`${lease.metadata.name}: ${message}`),
    },
  })
  const control = new AbortController()
  onTestFinished(() => control.abort())
  return { elector, control, statuses, leaders, recordedEvents }
}

async function passUntil(clock: ManualClock, holds: () => boolean): Promise<void> {
  for (let steps = 0; !holds(); steps += 1) {
    if (steps === 3_000) throw new Error('it does not come within half a minute')
    await clock.advance(10)
  }
}

describe('electing', () => {
  test('the first candidate leads, and is the holder of the Lease', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const { elector, control, statuses, recordedEvents } = setUp(server, clock, 'a')
    expect(await elector.acquire(control.signal)).toBe(true)
    expect(recordedEvents).toEqual(['controllers: a became leader'])
    expect(server.lease).toMatchObject({
      metadata: { namespace: 'system', name: 'controllers' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
        leaseTransitions: 0,
      },
    })
    expect([elector.isLeader, statuses]).toEqual([true, [false, true]])
  })

  test('a leader renews the Lease and keeps its acquire time, while others wait', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const a = setUp(server, clock, 'a')
    const b = setUp(server, clock, 'b')
    await a.elector.acquire(a.control.signal)
    void a.elector.hold(a.control.signal)
    void b.elector.acquire(b.control.signal)
    await clock.advance(60_000)
    expect(server.lease?.spec).toMatchObject({
      holderIdentity: 'a',
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    })
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([true, false])
    expect(b.leaders).toEqual(['a'])
  })

  test('one of two that start together leads', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const candidates = ['a', 'b', 'c'].map((identity) => setUp(server, clock, identity))
    for (const { elector, control } of candidates) void elector.acquire(control.signal)
    await clock.advance(0)
    expect(candidates.filter(({ elector }) => elector.isLeader)).toHaveLength(1)
  })

  test('a dead leader is replaced within the lease duration plus 5 s', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const a = setUp(server, clock, 'a')
    const b = setUp(server, clock, 'b')
    await a.elector.acquire(a.control.signal)
    void a.elector.hold(a.control.signal)
    void b.elector.acquire(b.control.signal)
    await clock.advance(30_000)
    a.control.abort()
    await clock.advance(14_900)
    expect(b.elector.isLeader).toBe(false)
    await clock.advance(5_100)
    expect(b.elector.isLeader).toBe(true)
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
  })

  test('clocks may differ by hours or jump', async () => {
    const server = new LeaseServer()
    const clockA = new ManualClock()
    const clockB = new ManualClock(new Date('2030-01-01T00:00:00Z'))
    const a = setUp(server, clockA, 'a')
    const b = setUp(server, clockB, 'b')
    await a.elector.acquire(a.control.signal)
    void a.elector.hold(a.control.signal)
    void b.elector.acquire(b.control.signal)
    for (let second = 0; second < 60; second += 1) {
      if (second === 20) clockA.jump(-86_400_000)
      if (second === 40) clockB.jump(86_400_000)
      await clockA.advance(1000)
      await clockB.advance(1000)
    }
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([true, false])
    expect(a.statuses).toEqual([false, true])
  })
})

describe('the end of leadership', () => {
  test('follows if the Lease was not renewed in time', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const { elector, control, statuses } = setUp(server, clock, 'a')
    await elector.acquire(control.signal)
    const end = elector.hold(control.signal)
    await clock.advance(20_000)
    server.down = true
    await clock.advance(9_000)
    expect(elector.isLeader).toBe(true)
    await clock.advance(3_000)
    expect(await end).toBe('lost')
    expect([elector.isLeader, statuses]).toEqual([false, [false, true, false]])
  })

  test.each([
    {
      because: 'default durations',
      times: { leaseDurationMs: 15_000, renewDeadlineMs: 10_000 },
    },
    {
      because: 'a lease barely longer than the renew deadline',
      times: { leaseDurationMs: 11_000, renewDeadlineMs: 10_000 },
    },
  ])(
    'comes before another candidate may lead, however slow the server is: $because',
    async ({ times }) => {
      const server = new LeaseServer()
      const clock = new ManualClock()
      const slowness: Slowness = { reads: 'none', writes: 'none' }
      const slow = { client: () => slowly(server.client(), slowness, clock) }
      const a = setUp(slow, clock, 'a', times)
      const b = setUp(server, clock, 'b', times)
      await a.elector.acquire(a.control.signal)
      let end: string | undefined
      void a.elector.hold(a.control.signal).then((how) => {
        end = how
      })
      void b.elector.acquire(b.control.signal)
      await clock.advance(30_000)
      // The last renewal takes effect at once and its response is late; after that, writes are lost.
      const renewals = server.updates
      slowness.writes = 'late'
      while (server.updates === renewals) await clock.advance(10)
      const renewed = clock.elapsed()
      slowness.reads = 'late'
      slowness.writes = 'lost'
      await passUntil(clock, () => end !== undefined)
      expect(clock.elapsed() - renewed).toBeLessThanOrEqual(times.leaseDurationMs)
      expect([end, b.elector.isLeader]).toEqual(['lost', false])
      await passUntil(clock, () => b.elector.isLeader)
    },
  )

  test('comes without another attempt after a long pause of the machine', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    let standstillMs = 0
    const halting: Clock = {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (ms, callback) => clock.after(ms + standstillMs, callback),
    }
    const a = setUp(server, halting, 'a')
    await a.elector.acquire(a.control.signal)
    const { updates } = server
    standstillMs = 12_000
    const end = a.elector.hold(a.control.signal)
    await clock.advance(14_000)
    expect(await end).toBe('lost')
    expect(server.updates, 'others may lead before it is answered').toBe(updates)
  })

  test('is not caused by a short failure', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const { elector, control } = setUp(server, clock, 'a')
    await elector.acquire(control.signal)
    let ended = false
    void elector.hold(control.signal).then(() => {
      ended = true
    })
    server.down = true
    await clock.advance(7_000)
    server.down = false
    await clock.advance(30_000)
    expect([ended, elector.isLeader]).toEqual([false, true])
  })

  test('comes at once if another candidate holds the Lease', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const { elector, control } = setUp(server, clock, 'a')
    await elector.acquire(control.signal)
    const end = elector.hold(control.signal)
    const usurped = structuredClone(server.lease) as Lease
    usurped.spec = { ...usurped.spec, holderIdentity: 'b', renewTime: 'later' }
    usurped.metadata.resourceVersion = '99'
    server.lease = usurped
    await clock.advance(2_000)
    expect(await end).toBe('lost')
  })

  test('releases the Lease, so that the next candidate leads without waiting', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const a = setUp(server, clock, 'a')
    const b = setUp(server, clock, 'b')
    await a.elector.acquire(a.control.signal)
    const end = a.elector.hold(a.control.signal)
    void b.elector.acquire(b.control.signal)
    await clock.advance(10_000)
    a.control.abort()
    expect(await end).toBe('stopped')
    await a.elector.release()
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    await clock.advance(4_400)
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([false, true])
    expect(server.lease?.spec?.leaseTransitions).toBe(1)
  })

  test('tolerates that the Lease cannot be released', async () => {
    const server = new LeaseServer()
    const clock = new ManualClock()
    const { elector, control } = setUp(server, clock, 'a')
    await elector.acquire(control.signal)
    server.down = true
    await elector.release()
    expect(elector.isLeader).toBe(false)
  })
})

test.each([
  {
    because: 'a lease duration that is not longer than the renew deadline',
    options: { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
  },
  {
    because: 'a renew deadline that leaves no time for a second attempt',
    options: { renewDeadlineMs: 2_400, retryPeriodMs: 2_000 },
  },
])('$because is rejected', ({ options }) => {
  const server = new LeaseServer()
  const log = silentLogger
  const lease = { namespace: 'n', name: 'l' }
  expect(
    () => new LeaderElector({ client: server.client(), lease, identity: 'a', log, ...options }),
  ).toThrow(TypeError)
})
