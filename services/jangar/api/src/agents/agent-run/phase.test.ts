import type { Condition, ConditionStatus } from '@agents/kube'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { agentRunConditions } from './conditions.ts'
import { agentRunPhase } from './phase.ts'

describe('the phase of an AgentRun', () => {
  test.each([
    { conditions: [], phase: 'Pending', because: 'no controller has reconciled it' },
    {
      conditions: ['Accepted=False/DependencyMissing', 'Admitted=Unknown/Blocked'],
      phase: 'Pending',
      because: 'a missing Agent may still come',
    },
    {
      conditions: ['Accepted=True/Accepted', 'Admitted=False/Queued', 'Started=Unknown/Blocked'],
      phase: 'Pending',
      because: 'it waits for a place',
    },
    {
      conditions: ['Accepted=True/Accepted', 'Admitted=False/WaitingForApproval'],
      phase: 'Pending',
      because: 'nobody has decided about it',
    },
    {
      conditions: [
        'Accepted=True/Accepted',
        'Admitted=True/Admitted',
        'Started=False/ImageUnavailable',
      ],
      phase: 'Pending',
      because: 'a place is not work',
    },
    {
      conditions: ['Accepted=True/Accepted', 'Admitted=True/Admitted', 'Started=True/Started'],
      phase: 'Running',
      because: 'its work has begun',
    },
    {
      conditions: [
        'Finished=False/Retrying',
        'Accepted=True/Accepted',
        'Admitted=True/Admitted',
        'Started=True/Started',
      ],
      phase: 'Running',
      because: 'a failed attempt is not the end while another follows',
    },
    {
      conditions: ['Succeeded=False/SecretNotAllowed', 'Finished=True/Failed'],
      phase: 'Failed',
      because: 'what is not allowed ends the run before it starts',
    },
    {
      conditions: ['Succeeded=False/TimedOut', 'Finished=True/TimedOut', 'Started=True/Started'],
      phase: 'Failed',
      because: 'running out of time is a failure',
    },
    {
      conditions: ['Succeeded=False/Cancelled', 'Finished=True/Cancelled', 'Started=True/Started'],
      phase: 'Cancelled',
      because: 'somebody stopped it',
    },
    {
      conditions: ['Succeeded=True/Succeeded', 'Finished=True/Succeeded', 'Started=True/Started'],
      phase: 'Succeeded',
      because: 'the outcome outranks the gates',
    },
  ])('is $phase for $conditions: $because', ({ conditions, phase }) => {
    expect(agentRunPhase(conditions.map(condition))).toBe(phase)
  })

  test('asks its gates in the order in which a run goes through them', () => {
    expect(agentRunConditions.gates.map(({ type }) => type)).toEqual([
      'Accepted',
      'Admitted',
      'Started',
    ])
  })

  test('is one of five words', () => {
    expectTypeOf(agentRunPhase).returns.toEqualTypeOf<
      'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled'
    >()
  })
})

/** `Type=Status/Reason`, with a reason that the kind declares: a row that no run can reach proves nothing. */
function condition(text: string): Condition {
  const [type = '', status = '', reason = ''] = text.split(/[=/]/)
  const declared = agentRunConditions.all.find((candidate) => candidate.type === type)
  expect(Object.keys(declared?.reasons ?? {})).toContain(reason)
  return {
    type,
    status: status as ConditionStatus,
    reason,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
}
