import { expect, test } from 'vitest'
import { approvalIn, contentOf, lastApproved } from './last-approved.ts'

const apiVersion = 'approvals.proompteng.ai/v1alpha1'

function request(uid: string, finishedAt: string | undefined, more: object = {}) {
  const subject = { kind: 'OrchestrationRun', name: `run-${uid}`, uid, step: 'gate' }
  const summary = 'Orchestration: deploy, step gate\nParameters: {}'
  const conditions = [{ type: 'Succeeded', status: finishedAt ? 'True' : 'Unknown' }]
  return {
    ...{ apiVersion, kind: 'ApprovalRequest', metadata: { name: uid, uid } },
    spec: { subject, policyRef: { name: 'people' }, summary, ...more },
    status: { finishedAt, conditions },
  }
}

const open = request('open', undefined)

test('the last approval is the newest of the same work, step and policy', () => {
  const older = request('older', '2030-01-01T00:00:00Z')
  const newer = request('newer', '2030-01-02T00:00:00Z')
  expect(lastApproved(open, [open, newer, older])).toBe(newer)
})

test.each([
  ['of another policy', { policyRef: { name: 'other' } }],
  ['of another step', { subject: { kind: 'OrchestrationRun', step: 'other' } }],
  ['of a whole run', { subject: { kind: 'OrchestrationRun' } }],
  ['of another Orchestration', { summary: 'Orchestration: other, step gate' }],
  [
    'that only names the Orchestration in a text',
    { summary: 'Orchestration: other, step gate\nValues:\n  Orchestration: deploy, step gate' },
  ],
])('an approval %s is not compared', (_what, more) => {
  expect(lastApproved(open, [request('other', '2030-01-01T00:00:00Z', more)])).toBeUndefined()
})

const run = {
  ...{ apiVersion, kind: 'OrchestrationRun', metadata: { name: 'old' } },
  spec: { parameters: { b: '2', a: '1' }, cancel: true, orchestrationRef: { name: 'deploy' } },
  status: {
    orchestration: { spec: { steps: [{ name: 'gate', policyRef: 'people' }] } },
    stepStatuses: [
      { name: 'gate', outputs: { decision: 'Approved', decidedBy: 'ann' }, finishedAt: 'then' },
    ],
  },
}

test('an archived run tells who approved its step', () => {
  expect(approvalIn(run, 'gate', 'people')).toEqual({ by: 'ann', at: 'then' })
  expect(approvalIn(run, 'gate', 'other')).toBeUndefined()
  expect(approvalIn(run, 'other', 'people')).toBeUndefined()
  expect(approvalIn(run, undefined, 'people')).toBeUndefined()
})

test('what runs is the same in any order of fields', () => {
  const text = contentOf(run)
  expect(text).toContain('parameters:\n  a: "1"\n  b: "2"\n')
  expect(text).not.toContain('cancel')
  const turned = {
    ...run,
    spec: { orchestrationRef: { name: 'deploy' }, parameters: { a: '1', b: '2' } },
  }
  expect(contentOf(turned)).toBe(text)
})
