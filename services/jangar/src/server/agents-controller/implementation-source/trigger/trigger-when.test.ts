import { expect, test } from 'vitest'
import type { TriggerEvent } from './trigger-event.ts'
import { whenProblem, whenRefusal } from './trigger-when.ts'

const issue = {
  ...{ externalId: 'owner/app#7', repository: 'owner/app', state: 'open', version: '' },
  ...{ title: 'Fix the parser', body: 'It is broken.', labels: ['agent', 'bug'], url: 'https://x' },
}

function event(when: string, change: Partial<TriggerEvent> = {}): TriggerEvent {
  return {
    trigger: { name: 'label', event: 'Labelled', when },
    ...{ repository: 'owner/app', externalId: 'owner/app#7', number: 7, isPullRequest: false },
    ...{ actor: 'operator', actorId: 1, text: 'in the parser', issue, key: 'k', ...change },
  } as unknown as TriggerEvent
}

test.each([
  "event.type == 'Labelled' && event.actor == 'operator'",
  "event.repository == 'owner/app' && event.externalId == 'owner/app#7'",
  "'bug' in event.labels && !event.labels.exists(one, one == 'wontfix')",
  "event.title.startsWith('Fix') && event.body.matches('brok[e]n') && event.url != ''",
  "event.text.contains('parser')",
])('an event that fits goes on: %s', (when) => {
  expect(whenProblem({ name: 'label', when })).toBeUndefined()
  expect(whenRefusal(event(when))).toBeUndefined()
})

test('an event that does not fit starts nothing, and refuses nobody', () => {
  expect(whenRefusal(event("'wontfix' in event.labels"))).toEqual({
    why: 'spec.triggers[label].when is false',
  })
})

test.each([
  { because: 'syntax', when: 'event.title ==', message: /when: at 1:\d+: / },
  { because: 'an unknown field', when: "event.author == 'x'", message: /undefined field/ },
  { because: 'an unknown variable', when: 'issue.title', message: /undeclared reference/ },
  { because: 'no boolean', when: 'event.title', message: /must evaluate to bool but got string/ },
])('what does not compile is named, and starts nothing: $because', ({ when, message }) => {
  const problem = whenProblem({ name: 'label', when })
  expect(problem).toMatch(/^spec\.triggers\[label\]\.when: /)
  expect(problem).toMatch(message)
  expect(problem).not.toContain('\n')
  expect(whenRefusal(event(when))).toEqual({ why: problem, isDenied: true })
})

test.each([
  {
    because: 'the delivery does not contain the issue',
    ...{ when: "event.title != 'x'", change: { issue: undefined }, message: /title/ },
  },
  {
    because: 'a tracker without repositories',
    ...{
      when: "event.repository != 'x'",
      change: { repository: undefined },
      message: /repository/,
    },
  },
  {
    because: 'labels are no numbers',
    ...{ when: 'event.labels[0] > 1', change: {}, message: /overload/ },
  },
  {
    because: 'it costs too much',
    when: 'event.labels.all(a, event.labels.all(b, event.labels.all(c, a + b != c)))',
    change: { issue: { ...issue, labels: Array.from({ length: 100 }, (_, at) => `l${at}x`) } },
    message: /cost/,
  },
])('an error starts nothing, and is said: $because', ({ when, change, message }) => {
  expect(whenProblem({ name: 'label', when })).toBeUndefined()
  const refusal = whenRefusal(event(when, change as Partial<TriggerEvent>))
  expect(refusal?.isDenied).toBe(true)
  expect(refusal?.why).toMatch(message)
})

test('an event about a pull request can be recognized by what it has not', () => {
  const when = "!has(event.title) || event.title != 'x'"
  expect(whenRefusal(event(when, { issue: undefined }))).toBeUndefined()
})
