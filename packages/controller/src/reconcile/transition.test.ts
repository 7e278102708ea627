import type { Condition } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { summaryTransition } from './transition.ts'

function condition(type: string, status: Condition['status'], reason: string): Condition {
  return {
    type,
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
}

const ready = condition('Ready', 'True', 'OK')
const syncing = condition('Ready', 'False', 'Syncing')
const invalid = condition('Ready', 'False', 'Invalid')
const stalled = condition('Stalled', 'True', 'Refused')
const moving = condition('Reconciling', 'True', 'Running')

describe('summaryTransition', () => {
  test.each([
    [undefined, [syncing, moving], 'Syncing', false, 'it is the first word'],
    [[syncing, moving], [ready], 'OK', false, 'the status is another'],
    [[syncing, moving], [invalid, stalled], 'Invalid', true, 'the reason is another'],
    [[syncing, moving], [syncing, stalled], 'Syncing', true, 'a person is needed now'],
    [[syncing, stalled], [syncing, moving], 'Syncing', false, 'and now no more'],
    [[ready], [condition('Ready', 'False', 'CheckFailed')], 'CheckFailed', true, 'it is unknown'],
  ])('%#: is a transition', (before, after, reason, isWarning, because) => {
    const transition = summaryTransition('Ready', before, after)
    expect(transition, because).toMatchObject({ to: { reason }, isWarning })
  })

  test.each([
    [[syncing, moving], [syncing, { ...moving, reason: 'Pushing' }], 'only a detail is another'],
    [[invalid, stalled], [{ ...invalid, message: 'more' }, stalled], 'the words are no news'],
    [[ready], [], 'there is nothing to tell'],
  ])('%#: is not a transition', (before, after, because) => {
    expect(summaryTransition('Ready', before, after), because).toBeUndefined()
  })
})
