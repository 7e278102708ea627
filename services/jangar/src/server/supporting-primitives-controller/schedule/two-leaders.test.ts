import type { Schedule } from '@agents/jangar-api'
import { rfc3339 } from '@agents/status'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Calendar } from './calendar.ts'
import { planSchedule } from './plan-schedule.ts'

const halfHour = 1_800_000
const day = 86_400_000
const begin = Date.parse('2026-03-01T00:10:00Z')

const halfHours: Calendar = {
  next: (after) => new Date((Math.floor(after.getTime() / halfHour) + 1) * halfHour),
  latest: (now) => new Date(Math.floor(now.getTime() / halfHour) * halfHour),
}

type Status = NonNullable<Schedule['status']>

/** Two controllers that both lead, each with a clock and a cache of its own, in front of one server. */
class TwoLeaders {
  now = begin
  generation = 1
  missed = 0
  /** How often the run of each time was created. */
  readonly created = new Map<number, number>()
  readonly #existing = new Set<number>()
  readonly #keepsRuns: boolean
  readonly offsets = [0, 0]
  #status: Status | undefined
  readonly #cached: (Status | undefined)[] = [undefined, undefined]

  /** Without history, a run is deleted as soon as its start is recorded, and its name does not prevent a second one. */
  constructor(keepsRuns: boolean) {
    this.#keepsRuns = keepsRuns
  }

  /** `isKilled`: the process ends between the start of a run and the write of the status. */
  reconcile(leader: number, isKilled = false): void {
    const seen = this.#cached[leader]
    const decided = planSchedule({
      schedule: this.#schedule(seen),
      calendar: halfHours,
      now: new Date(this.now + (this.offsets[leader] ?? 0)),
      active: 0,
    })
    const { start, handled = seen?.lastScheduleTime, activeSince } = decided
    // The server is asked before each start, and finds a run by its name.
    if (start !== undefined && this.#status?.lastScheduleTime !== rfc3339(start)) {
      this.#create(start.getTime())
    }
    // A status that was read from a cache that is behind is refused.
    const isConflict = seen !== this.#status
    this.#cached[leader] = this.#status
    if (isKilled || isConflict) return
    this.missed += decided.missed
    this.#status = {
      observedGeneration: this.generation,
      activeSince: rfc3339(activeSince),
      ...(handled !== undefined && {
        lastScheduleTime: typeof handled === 'string' ? handled : rfc3339(handled),
      }),
    } as Status
    this.#cached[leader] = this.#status
    if (!this.#keepsRuns) this.#existing.clear()
  }

  #create(due: number): void {
    if (this.#existing.has(due)) return
    this.#existing.add(due)
    this.created.set(due, (this.created.get(due) ?? 0) + 1)
  }

  /** Both see what the server has, and their clocks are right. */
  settle(): void {
    this.offsets.fill(0)
    for (const leader of [0, 1, 0, 1]) this.reconcile(leader)
  }

  #schedule(status: Status | undefined): Schedule {
    return {
      metadata: {
        ...{ name: 's', uid: 'u', generation: this.generation },
        creationTimestamp: rfc3339(new Date(begin)),
      },
      spec: { cron: '*/30 * * * *', suspend: false, concurrencyPolicy: 'Allow' },
      ...(status && { status }),
    } as Schedule
  }
}

const leader = fc.integer({ min: 0, max: 1 })
const pass = fc.record({
  is: fc.constant('pass' as const),
  leader,
  ms: fc.integer({ min: 1, max: 2 * halfHour }),
  isKilled: fc.boolean(),
})
const jump = fc.record({
  is: fc.constant('jump' as const),
  leader,
  ms: fc.constantFrom(-day, 0, day),
})

test('two leaders that are killed and see old states start no run twice, and count what they leave out', () => {
  fc.assert(
    fc.property(fc.array(pass, { maxLength: 60 }), (events) => {
      const leaders = new TwoLeaders(false)
      for (const event of events) {
        leaders.now += event.ms
        leaders.reconcile(event.leader, event.isKilled)
      }
      leaders.settle()
      const due = Math.floor(leaders.now / halfHour) - Math.floor(begin / halfHour)
      // What was started before a kill may be counted as missed, too.
      expect(leaders.created.size + leaders.missed).toBeGreaterThanOrEqual(due)
      expect([...leaders.created.values()].every((times) => times === 1)).toBe(true)
      expect([...leaders.created.keys()].every((at) => at > begin && at <= leaders.now)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('two leaders whose clocks jump by a day start each time once when the clocks are right again', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pass, jump), { maxLength: 60 }), (events) => {
      const leaders = new TwoLeaders(true)
      for (const event of events) {
        if (event.is === 'jump') leaders.offsets[event.leader] = event.ms
        else {
          leaders.now += event.ms
          leaders.reconcile(event.leader, event.isKilled)
        }
      }
      leaders.settle()
      for (let times = 0; times < 4; times += 1) {
        leaders.now = (Math.floor(leaders.now / halfHour) + 1) * halfHour
        leaders.settle()
        expect(leaders.created.get(leaders.now)).toBe(1)
      }
    }),
    { numRuns: 2000 },
  )
})

test('a suspended year is neither caught up with nor counted', () => {
  const leaders = new TwoLeaders(true)
  leaders.now += halfHour
  leaders.settle()
  expect([...leaders.created.values()]).toEqual([1])
  // While it is suspended, nothing is planned; the change of the spec makes another generation.
  leaders.now += 365 * day
  leaders.generation += 2
  leaders.settle()
  expect(leaders.created.size).toBe(1)
  expect(leaders.missed).toBe(0)
  leaders.now += halfHour
  leaders.settle()
  expect(leaders.created.size).toBe(2)
})
