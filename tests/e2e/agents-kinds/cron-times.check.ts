import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseCalendar } from '@agents/jangar'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'

const program = await ensureGoProgram(join(import.meta.dirname, 'cron-reference'))

/** Without zones whose clock changes by half an hour: the reference misses days there. */
const zones = [
  'UTC',
  'Europe/Vienna',
  'America/New_York',
  'Asia/Kolkata',
  'America/Santiago',
  'Pacific/Apia',
  'Europe/Dublin',
]
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

function fieldOf(min: number, max: number, names: readonly string[] = []) {
  const value = fc.integer({ min, max })
  const word =
    names.length > 0 ? fc.oneof(value.map(String), fc.constantFrom(...names)) : value.map(String)
  const step = fc.integer({ min: 1, max: 99 })
  const range = fc.tuple(value, value).map((ends) => ends.toSorted((a, b) => a - b).join('-'))
  const part = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('*', '?') },
    { weight: 1, arbitrary: step.map((by) => `*/${by}`) },
    { weight: 3, arbitrary: word },
    { weight: 2, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, step).map((both) => both.join('/')) },
    { weight: 1, arbitrary: fc.tuple(value, step).map((both) => both.join('/')) },
  )
  return fc.oneof(
    { weight: 3, arbitrary: part },
    { weight: 1, arbitrary: fc.tuple(part, part).map((both) => both.join(',')) },
  )
}

const question = fc.record({
  Cron: fc
    .tuple(
      fieldOf(0, 59),
      fieldOf(0, 23),
      fieldOf(1, 31),
      fieldOf(1, 12, months),
      fieldOf(0, 6, days),
    )
    .map((fields) => fields.join(' ')),
  Zone: fc.constantFrom(...zones),
  After: fc
    .date({
      noInvalidDate: true,
      min: new Date('2026-01-01T00:00:00Z'),
      max: new Date('2027-01-01T00:00:00Z'),
    })
    .map((date) => `${date.toISOString().slice(0, 16)}:00Z`),
  Count: fc.constant(8),
})

type Question = typeof question extends fc.Arbitrary<infer Of> ? Of : never

test.skipIf(program === undefined)(
  'a schedule has the times of a CronJob, except where the clock changes',
  () => {
    const questions = fc.sample(question, { seed: 18, numRuns: 10_000 })
    const { stdout } = spawnSync(program ?? '', {
      input: `${questions.map((each) => JSON.stringify(each)).join('\n')}\n`,
      maxBuffer: 2 ** 28,
    })
    const answers = stdout.toString().trimEnd().split('\n')
    expect(answers).toHaveLength(questions.length)
    let compared = 0
    for (const [index, each] of questions.entries()) {
      const { times = [], error } = JSON.parse(answers[index] ?? '') as {
        times?: string[]
        error?: string
      }
      const parsed = parseCalendar(each.Cron, each.Zone)
      expect(parsed.ok, `${each.Cron}: ${error ?? 'valid'}`).toBe(error === undefined)
      const ours = following(each)
      // Each list ends somewhere else if one of them has a time more.
      const [end = ''] = [ours.at(-1) ?? '9', times.at(-1) ?? '9'].toSorted()
      const steady = (all: readonly string[]) =>
        all.filter((time) => time <= end && !isNearChange(each.Zone, time))
      expect(steady(ours), JSON.stringify(each)).toEqual(steady(times))
      compared += steady(ours).length
    }
    expect(compared).toBeGreaterThan(questions.length * 6)
  },
)

function following({ Cron, Zone, After, Count }: Question): string[] {
  const parsed = parseCalendar(Cron, Zone)
  if (!parsed.ok) return []
  const found: string[] = []
  // The reference gives up after five years.
  const horizon = Date.parse(After) + 5 * 365 * 86_400_000
  for (let at = parsed.calendar.next(new Date(After)); found.length < Count; ) {
    if (at === undefined || at.getTime() > horizon) break
    found.push(`${at.toISOString().slice(0, 19)}Z`)
    at = parsed.calendar.next(at)
  }
  return found
}

const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' }),
  ]),
)

/**
 * Whether the clock changes within about a day: there a CronJob skips times and repeats others, and the reference is
 * wrong about days without a midnight.
 */
function isNearChange(zone: string, time: string): boolean {
  const at = Date.parse(time)
  const offset = (hours: number) => formats.get(zone)?.format(at + hours * 3_600_000)
  const nameOf = (text: string | undefined) => text?.replace(/^\d+/, '')
  return nameOf(offset(-26)) !== nameOf(offset(26))
}
