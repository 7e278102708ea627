import { expect, test } from 'vitest'
import { policyObstacles } from './approver.ts'

const base = { apiVersion: 'approvals.proompteng.ai/v1alpha1' }
const who = { user: { username: 'system:serviceaccount:agents:ann', groups: ['team'] } }

function request(requestedBy?: string) {
  return {
    ...base,
    ...{ kind: 'ApprovalRequest', metadata: { name: 'r' }, spec: { requestedBy } },
  }
}

function policy(approver: object, more: object = {}) {
  return {
    ...base,
    ...{ kind: 'ApprovalPolicy', metadata: { name: 'people', namespace: 'agents' } },
    spec: { approvers: [approver], ...more },
  }
}

const stranger = { decide: 'you are not an approver of ApprovalPolicy people' }
const own = { approve: 'you requested it, and ApprovalPolicy people wants another user' }
const me = { kind: 'User', name: who.user.username }

test.each([
  ['a user', me, {}],
  ['another user', { kind: 'User', name: 'bob' }, stranger],
  ['a group', { kind: 'Group', name: 'team' }, {}],
  ['a group of others', { kind: 'Group', name: 'others' }, stranger],
  ['an account of the namespace of the policy', { kind: 'ServiceAccount', name: 'ann' }, {}],
  [
    'an account of the same name elsewhere',
    { kind: 'ServiceAccount', name: 'ann', namespace: 'x' },
    stranger,
  ],
])('the approver is %s', (_what, approver, obstacles) => {
  expect(policyObstacles(policy(approver), request('bob'), who)).toEqual(obstacles)
})

test('who requested it can only deny, unless the policy allows more', () => {
  const mine = request(who.user.username)
  expect(policyObstacles(policy(me), mine, who)).toEqual(own)
  expect(policyObstacles(policy(me, { allowSelfApproval: true }), mine, who)).toEqual({})
})
