import { requestedByAnnotation, type Schedule, triggerMetadata } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { manualRun, type RunTemplate, scheduledRun } from './scheduled-run.ts'

const schedule = {
  metadata: {
    ...{ name: 'nightly', namespace: 'team' },
    annotations: { [requestedByAnnotation]: 'ann' },
  },
} as unknown as Schedule

test('a schedule starts no operation on a Memory, although the platform could', () => {
  const spec = { memory: { operation: 'get', key: 'a' }, priority: 1 }
  const run = scheduledRun(schedule, new Date(0), { spec: spec as never })
  expect(run.spec).toEqual({ priority: 1 })
})

describe('a template that claims what the platform records', () => {
  const { labels, annotations } = triggerMetadata
  const forged = (keys: object) =>
    Object.fromEntries(Object.values(keys).map((key) => [key, 'forged']))
  const template = {
    metadata: {
      labels: {
        ...forged(labels),
        'jangar.proompteng.ai/orchestration-run': 'forged',
        'schedules.proompteng.ai/schedule': 'forged',
        'proompteng.ai/any': 'forged',
        ...{ team: 'shop', 'example.com/team': 'shop', 'notproompteng.ai/team': 'shop' },
      },
      annotations: {
        ...forged(annotations),
        [requestedByAnnotation]: 'forged',
        'agents.proompteng.ai/traceparent': 'forged',
        'schedules.proompteng.ai/scheduled-at': 'forged',
        note: 'kept',
      },
    },
    spec: {},
  } as unknown as RunTemplate

  test.each([
    { when: 'at its time', run: scheduledRun(schedule, new Date(0), template) },
    { when: 'at once', run: manualRun(schedule, template) },
  ])('starts a run without these claims: $when', ({ run }) => {
    expect(run.metadata.labels).toEqual({
      ...{ team: 'shop', 'example.com/team': 'shop', 'notproompteng.ai/team': 'shop' },
      'schedules.proompteng.ai/schedule': 'nightly',
    })
    expect(Object.values(run.metadata.annotations ?? {})).not.toContain('forged')
    expect(run.metadata.annotations).toMatchObject({ note: 'kept' })
  })

  test('is requested by the author of the schedule', () => {
    const { metadata } = scheduledRun(schedule, new Date(0), template)
    expect(metadata.annotations).toMatchObject({ [requestedByAnnotation]: 'ann' })
  })
})
