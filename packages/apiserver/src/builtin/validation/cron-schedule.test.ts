import { expect, test } from 'vitest'
import { cronProblem } from './cron-schedule.ts'

test.each([
  { because: 'every minute', schedule: '* * * * *' },
  { because: 'lists, ranges, steps and names', schedule: '1-5,7 */2 1 JAN MON-FRI' },
  { because: 'a step from a number on', schedule: '5/15 0 * * *' },
  { because: 'a question mark is a star', schedule: '0 0 ? * *' },
  { because: 'descriptors have a name', schedule: '@daily' },
  { because: 'or a duration', schedule: '@every 1h30m' },
])('accepts $schedule: $because', ({ schedule }) => {
  expect(cronProblem(schedule)).toBeUndefined()
})

test.each([
  { schedule: '60 * * * *', problem: 'end of range (60) above maximum (59): 60' },
  { schedule: '* * 0 * *', problem: 'beginning of range (0) below minimum (1): 0' },
  { schedule: '* * * * 7', problem: 'end of range (7) above maximum (6): 7' },
  { schedule: '5-1 * * * *', problem: 'beginning of range (5) beyond end of range (1): 5-1' },
  { schedule: '*/0 * * * *', problem: 'step of range should be a positive number: */0' },
  { schedule: '1-2-3 * * * *', problem: 'too many hyphens: 1-2-3' },
  { schedule: '* * * *', problem: 'expected exactly 5 fields, found 4: [* * * *]' },
  { schedule: '@foo', problem: 'unrecognized descriptor: @foo' },
  {
    schedule: 'a * * * *',
    problem: 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
  },
  {
    schedule: 'TZ=UTC * * * * *',
    problem: 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  },
])('rejects $schedule: $problem', ({ schedule, problem }) => {
  expect(cronProblem(schedule)).toBe(problem)
})
