import type { ApprovalPolicy } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { approvalRules, hasSubject } from './approval-rules.ts'

const developer = { kind: 'User', name: 'developer' } as const

function policy(spec: object): ApprovalPolicy {
  return { metadata: { name: 'people', namespace: 'team' }, spec } as ApprovalPolicy
}

describe('an ApprovalPolicy', () => {
  test.each([
    { spec: {}, reason: 'NoApprovers', field: 'spec.approvers' },
    { spec: { mode: 'vote' }, reason: 'UnsupportedMode', field: 'spec.mode' },
    {
      spec: { mode: 'auto', defaultDecision: 'maybe' },
      reason: 'UnsupportedDecision',
      field: 'spec.defaultDecision',
    },
    {
      spec: { approvers: [developer, developer], quorum: 2 },
      reason: 'QuorumUnreachable',
      field: 'spec.quorum',
    },
    {
      spec: { approvers: [{ kind: 'User', name: ' ' }] },
      reason: 'InvalidApprover',
      field: 'spec.approvers[0].name',
    },
    {
      spec: { approvers: [{ ...developer, namespace: 'team' }] },
      reason: 'InvalidApprover',
      field: 'spec.approvers[0].namespace',
    },
    {
      spec: { approvers: [developer], subjects: [{ kind: 'Secret', name: 'a' }] },
      reason: 'InvalidSubject',
      field: 'spec.subjects[0].kind',
    },
    {
      spec: { approvers: [developer], subjects: [{ kind: 'Agent', name: '' }] },
      reason: 'InvalidSubject',
      field: 'spec.subjects[0].name',
    },
    {
      spec: {
        approvers: [developer],
        subjects: [{ kind: 'Agent', name: 'a', namespace: 'other' }],
      },
      reason: 'InvalidSubject',
      field: 'spec.subjects[0].namespace',
    },
  ])('$reason names $field', ({ spec, reason, field }) => {
    const problem = approvalRules(policy(spec))
    expect(problem).toMatchObject({ reason, message: expect.stringContaining(`${field}: `) })
  })

  test.each([
    { approver: { kind: 'ServiceAccount', name: 'Bot_1' }, field: 'name' },
    { approver: { kind: 'ServiceAccount', name: 'a:b' }, field: 'name' },
    { approver: { kind: 'ServiceAccount', name: 'x'.repeat(254) }, field: 'name' },
    { approver: { kind: 'ServiceAccount', name: 'bot', namespace: '' }, field: 'namespace' },
    { approver: { kind: 'ServiceAccount', name: 'bot', namespace: 'a.b' }, field: 'namespace' },
    { approver: { kind: 'ServiceAccount', name: 'bot', namespace: 'a:b' }, field: 'namespace' },
    { approver: { kind: 'User', name: 'system:serviceaccount:only-one-part' }, field: 'name' },
    { approver: { kind: 'User', name: 'system:serviceaccount::bot' }, field: 'name' },
    { approver: { kind: 'User', name: 'system:serviceaccount:team:' }, field: 'name' },
    { approver: { kind: 'User', name: 'system:serviceaccount:team:a:b' }, field: 'name' },
    { approver: { kind: 'User', name: 'system:serviceaccount:Team:bot' }, field: 'name' },
    { approver: { kind: 'User', name: 'approver\u0000' }, field: 'name' },
    { approver: { kind: 'Group', name: 'reviewers\n' }, field: 'name' },
    { approver: { kind: 'Group', name: 'system:serviceaccounts:a:b' }, field: 'name' },
    { approver: { kind: 'Group', name: 'system:serviceaccounts:' }, field: 'name' },
  ])('refuses an approver who cannot exist: $approver', ({ approver, field }) => {
    const approvers = [{ kind: 'User', name: 'approver' }, approver]
    expect(approvalRules(policy({ approvers }))).toMatchObject({
      reason: 'InvalidApprover',
      message: expect.stringMatching(`^spec\\.approvers\\[1\\]\\.${field}: `),
    })
  })

  test.each([
    { kind: 'User', name: 'system:serviceaccount:team:bot' },
    { kind: 'User', name: 'oidc:Some One <one@example.com>' },
    { kind: 'User', name: 'system:node:one' },
    { kind: 'ServiceAccount', name: 'bot.ci', namespace: 'other' },
    { kind: 'Group', name: 'system:serviceaccounts' },
    { kind: 'Group', name: 'system:serviceaccounts:team' },
    { kind: 'Group', name: 'oidc:/Teams/Reviewers' },
  ])('takes $kind $name, who can', (approver) => {
    expect(approvalRules(policy({ approvers: [approver] }))).not.toHaveProperty('reason')
  })

  test('is careful by default', () => {
    expect(approvalRules(policy({ approvers: [developer] }))).toMatchObject({
      auto: undefined,
      quorum: 1,
      allowSelfApproval: false,
      onTimeout: 'Deny',
    })
    expect(approvalRules(policy({ mode: 'auto' }))).toMatchObject({ auto: 'Deny' })
  })

  test('knows service accounts by their user names, and groups of any size', () => {
    const approvers = [
      { kind: 'ServiceAccount', name: 'bot' },
      { kind: 'ServiceAccount', name: 'bot', namespace: 'other' },
      { kind: 'Group', name: 'reviewers' },
    ]
    const rules = approvalRules(policy({ approvers, quorum: 9 }))
    if ('reason' in rules) throw new Error(rules.message)
    expect([...rules.users]).toEqual([
      'system:serviceaccount:team:bot',
      'system:serviceaccount:other:bot',
    ])
    expect([...rules.groups]).toEqual(['reviewers'])
  })

  test('concerns runs of its subjects, by name or all of a kind', () => {
    const run = [
      { kind: 'AgentRun', name: 'run' },
      { kind: 'Agent', name: 'coder' },
    ]
    const concerns = (...subjects: object[]) => hasSubject(policy({ subjects }), run)
    expect(concerns({ kind: 'Agent', name: 'coder' })).toBe(true)
    expect(concerns({ kind: 'Agent', name: '*' })).toBe(true)
    expect(concerns({ kind: 'AgentRun', name: 'run' })).toBe(true)
    expect(concerns({ kind: 'Agent', name: 'run' }, { kind: 'Tool', name: '*' })).toBe(false)
    expect(concerns()).toBe(false)
  })
})
