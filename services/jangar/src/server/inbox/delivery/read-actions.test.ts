import type { ImplementationSource } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import { issueEvents } from '../../agents-controller/implementation-source/trigger/trigger-event.ts'
import { readDelivery } from './read-delivery.ts'
import type { WebhookProvider } from './signature.ts'

const [operator, reader] = [
  { id: 1, login: 'operator' },
  { id: 2, login: 'reader' },
]
const [agent, other] = [
  { id: 8, login: 'agent' },
  { id: 9, login: 'other' },
]
const updated = '2026-11-17T08:00:00Z'
const template = { spec: {} }
const source = {
  metadata: { name: 'issues', namespace: 'agents' },
  spec: {
    triggers: [
      { name: 'opened', event: 'Opened', template },
      { name: 'assigned', event: 'Assigned', template },
      { name: 'agent', event: 'Assigned', assignee: 'Agent', template },
      { name: 'mail', event: 'Assigned', assignee: 'agent@example.com', template },
    ],
  },
} as unknown as ImplementationSource

/** `trigger by actor`, for each event. */
function found(provider: WebhookProvider, event: string, payload: object): readonly string[] {
  const read = readDelivery(provider, event, payload)
  if (read.kind !== 'issue') throw new Error(read.kind)
  const events = issueEvents(source, read.issue, read, Buffer.from(JSON.stringify(payload)))
  return events.map(({ trigger, actor }) => `${trigger.name} by ${actor}`)
}

/** GitHub and Gitea. */
function forge(action: string, change: object = {}, author: object = operator): object {
  const issue = { number: 7, user: author, state: 'open', labels: [], updated_at: updated }
  const repository = { full_name: 'owner/app' }
  const { assignees, ...rest } = change as { readonly assignees?: object }
  return { action, issue: { ...issue, assignees }, repository, sender: operator, ...rest }
}

test.each([
  { because: 'opened', payload: forge('opened'), expected: ['opened by operator'] },
  { because: 'written by another', payload: forge('opened', {}, reader), expected: [] },
  {
    because: 'written by another who took the name',
    ...{ payload: forge('opened', {}, { ...operator, id: 3 }), expected: [] },
  },
  { because: 'opened again', payload: forge('reopened'), expected: [] },
  { because: 'edited', payload: forge('edited'), expected: [] },
])('an issue of GitHub and Gitea that is $because', ({ payload, expected }) => {
  expect(found('github', 'issues', payload)).toEqual(expected)
  expect(found('gitea', 'issues', payload)).toEqual(expected)
})

test.each([
  {
    because: 'the one that is meant',
    payload: forge('assigned', { assignee: agent, assignees: [other, agent] }),
    expected: ['assigned by operator', 'agent by operator'],
  },
  {
    because: 'another, beside the one that is meant',
    payload: forge('assigned', { assignee: other, assignees: [agent, other] }),
    expected: ['assigned by operator'],
  },
  {
    because: 'nobody any more',
    ...{ payload: forge('unassigned', { assignee: agent, assignees: [] }), expected: [] },
  },
])('an issue of GitHub that is assigned to $because', ({ payload, expected }) => {
  expect(found('github', 'issues', payload)).toEqual(expected)
})

test('Gitea names no new assignee, so that assignments of an issue count once', () => {
  const payload = forge('assigned', { assignees: [agent, other] })
  expect(found('gitea', 'issues', payload)).toEqual(['assigned by operator', 'agent by operator'])
  const keys = [payload, forge('assigned', { assignees: [agent] })].flatMap((one) => {
    const read = readDelivery('gitea', 'issues', one)
    return read.kind === 'issue' ? [read.assigned?.key] : []
  })
  expect(keys).toEqual(['assigned', 'assigned'])
  expect(found('gitea', 'issues', forge('unassigned', { assignees: [agent] }))).toEqual([])
  expect(found('gitea', 'issues', forge('assigned', { assignees: [] }))).toEqual([])
})

function gitlab(action: string, change: object, authorId = 1): object {
  return {
    ...{ object_kind: 'issue', user: { id: 1, username: 'operator' }, labels: [] },
    project: { path_with_namespace: 'group/app' },
    object_attributes: { iid: 7, author_id: authorId, updated_at: updated, action },
    ...change,
  }
}

const [gitlabAgent, gitlabOther] = [{ username: 'agent' }, { username: 'other' }]

test.each([
  { because: 'opened', payload: gitlab('open', {}), expected: ['opened by operator'] },
  { because: 'moved here by another', payload: gitlab('open', {}, 2), expected: [] },
  { because: 'opened again', payload: gitlab('reopen', {}), expected: [] },
  {
    because: 'opened with an assignee',
    payload: gitlab('open', { assignees: [gitlabAgent] }),
    expected: ['opened by operator', 'assigned by operator', 'agent by operator'],
  },
  {
    because: 'assigned',
    payload: gitlab('update', {
      assignees: [gitlabAgent],
      changes: { assignees: { previous: [gitlabOther], current: [gitlabAgent] } },
    }),
    expected: ['assigned by operator', 'agent by operator'],
  },
  {
    because: 'assigned to another, too',
    payload: gitlab('update', {
      changes: { assignees: { previous: [gitlabAgent], current: [gitlabAgent, gitlabOther] } },
    }),
    expected: ['assigned by operator'],
  },
  {
    because: 'changed while it is assigned',
    ...{ payload: gitlab('update', { assignees: [gitlabAgent] }), expected: [] },
  },
])('an issue of GitLab that is $because', ({ payload, expected }) => {
  expect(found('gitlab', 'Issue Hook', payload)).toEqual(expected)
})

const assignee = { id: 'a', name: 'Agent', email: 'agent@example.com' }

function linear(action: string, data: object, updatedFrom?: object, type = 'user'): object {
  return {
    ...{ type: 'Issue', action, createdAt: updated, updatedFrom },
    actor: { id: 'u', type, name: 'operator', email: 'operator@example.com' },
    data: { identifier: 'ENG-7', creatorId: 'u', updatedAt: updated, ...data },
  }
}

const by = 'by operator@example.com'

test.each([
  { because: 'opened', payload: linear('create', {}), expected: [`opened ${by}`] },
  { because: 'by another', payload: linear('create', { creatorId: 'x' }), expected: [] },
  { because: 'by an app', payload: linear('create', {}, {}, 'oauthClient'), expected: [] },
  {
    because: 'opened with an assignee',
    payload: linear('create', { assignee }),
    expected: [`opened ${by}`, `assigned ${by}`, `mail ${by}`],
  },
  {
    because: 'assigned',
    payload: linear('update', { assignee }, { assigneeId: null }),
    expected: [`assigned ${by}`, `mail ${by}`],
  },
  {
    because: 'assigned to nobody any more',
    ...{ payload: linear('update', {}, { assigneeId: 'a' }), expected: [] },
  },
  {
    because: 'changed while it is assigned',
    ...{ payload: linear('update', { assignee }, { title: 'x' }), expected: [] },
  },
])('an issue of Linear that is $because', ({ payload, expected }) => {
  expect(found('linear', 'Issue', payload)).toEqual(expected)
})
