import type { ApprovalDecision, ApprovalRequest } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import type { ApprovalRules } from '../../primitives-policy/approvals/approval-rules.ts'
import { decide } from './decide.ts'

const now = new Date('2026-01-01T12:00:00Z')
const digest = 'd'.repeat(64)

const rules: ApprovalRules = {
  auto: undefined,
  users: new Set(['developer', 'maintainer', 'attacker']),
  groups: new Set(['reviewers']),
  quorum: 1,
  allowSelfApproval: false,
  expiresAfterSeconds: undefined,
  onTimeout: 'Deny',
}

function request(spec: object = {}): ApprovalRequest {
  const own = { policyRef: { name: 'people' }, digest, requestedBy: 'attacker', ...spec }
  return { metadata: { name: 'r', namespace: 'team' }, spec: own } as unknown as ApprovalRequest
}

let serial = 0

function by(username: string, spec: object = {}, at = '2026-01-01T11:00:00Z'): ApprovalDecision {
  serial += 1
  return {
    metadata: {
      name: `d-${String(serial).padStart(4, '0')}`,
      uid: `u-${serial}`,
      creationTimestamp: at,
    },
    spec: { decision: 'Approve', digest, approver: { username }, ...spec },
  } as unknown as ApprovalDecision
}

const deny = { decision: 'Deny' }

describe('the outcome of a request', () => {
  test.each([
    { because: 'nobody decided', decisions: [], expected: 'wait WaitingForDecision' },
    {
      because: 'an approver approved',
      decisions: [by('developer')],
      expected: 'succeeded Approved',
    },
    { because: 'another did', decisions: [by('writer')], expected: 'wait WaitingForDecision' },
    {
      because: 'the requester did',
      decisions: [by('attacker')],
      expected: 'wait WaitingForDecision',
    },
    {
      because: 'the requester denied',
      decisions: [by('attacker', deny)],
      expected: 'failed Denied',
    },
    {
      because: 'a member of a group of approvers did',
      decisions: [by('member', { approver: { username: 'member', groups: ['x', 'reviewers'] } })],
      expected: 'succeeded Approved',
    },
    {
      because: 'something else was approved',
      decisions: [by('developer', { digest: 'e'.repeat(64) })],
      expected: 'wait WaitingForDecision',
    },
    {
      because: 'one approves and another denies',
      decisions: [by('developer'), by('maintainer', deny)],
      expected: 'failed Denied',
    },
    {
      because: 'a user thinks again, as long as that is possible',
      rules: { quorum: 2 },
      decisions: [by('developer'), by('developer', deny)],
      expected: 'failed Denied',
    },
    {
      because: 'two approvals of one user are one',
      rules: { quorum: 2 },
      decisions: [by('developer'), by('developer')],
      expected: 'wait WaitingForDecision',
    },
    {
      because: 'two different users approved',
      rules: { quorum: 2 },
      decisions: [by('developer'), by('maintainer')],
      expected: 'succeeded Approved',
    },
    {
      because: 'self-approval is allowed',
      rules: { allowSelfApproval: true },
      decisions: [by('attacker')],
      expected: 'succeeded Approved',
    },
    {
      because: 'the deadline has passed',
      spec: { deadline: '2026-01-01T12:00:00Z' },
      decisions: [],
      expected: 'failed Expired',
    },
    {
      because: 'the decision came after the deadline',
      spec: { deadline: '2026-01-01T10:00:00Z' },
      decisions: [by('developer')],
      expected: 'failed Expired',
    },
    {
      because: 'the decision came before the deadline, and is only counted now',
      spec: { deadline: '2026-01-01T11:30:00Z' },
      decisions: [by('developer')],
      expected: 'succeeded Approved',
    },
    {
      because: 'a timeout approves',
      rules: { onTimeout: 'Approve' as const },
      spec: { deadline: '2026-01-01T10:00:00Z' },
      decisions: [],
      expected: 'succeeded Approved',
    },
    {
      because: 'the policy decides by itself, whatever anybody says',
      rules: { auto: 'Deny' as const },
      decisions: [by('developer')],
      expected: 'failed Denied',
    },
  ])('$because: $expected', ({ decisions, expected, rules: own = {}, spec = {} }) => {
    const { kind, ...verdict } = decide(request(spec), { ...rules, ...own }, decisions, now)
    expect(`${kind} ${'reason' in verdict ? verdict.reason : ''}`).toBe(expected)
  })

  test('names who decided, without what a terminal would interpret', () => {
    const comment = 'fine\u001b[31m\nApproved by maintainer'
    const verdict = decide(request(), rules, [by('developer', { comment })], now)
    expect(verdict.message).toBe('approved by developer (fine [31m Approved by maintainer)')
  })

  test('lasts as long as the policy says', () => {
    const lasting = { ...rules, expiresAfterSeconds: 60 }
    const { detail } = decide(request(), lasting, [by('developer')], now)
    expect(detail).toMatchObject({ expiresAt: '2026-01-01T12:01:00Z' })
  })

  test('is looked at again when the deadline passes', () => {
    const open = decide(request({ deadline: '2026-01-01T12:00:30Z' }), rules, [], now)
    expect(open).toMatchObject({ kind: 'wait', retryAfterMs: 30_001 })
  })
})
