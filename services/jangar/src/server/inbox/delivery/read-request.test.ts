import { expect, test } from 'vitest'
import { readDelivery } from './read-delivery.ts'
import type { WebhookProvider } from './signature.ts'

const repository = { full_name: 'o/r' }
const sender = { login: 'maintainer', id: 3 }
const issue = { number: 7, title: 'x', updated_at: '2026-11-17T08:00:00Z' }
const pull = { ...issue, pull_request: {} }
const comment = { id: 5, body: '/agent run', user: sender }
const review = { id: 6, state: 'changes_requested', body: 'No.', user: sender }
const rejected = { type: 'pull_request_review_rejected', content: 'No.' }
const common = { action: 'created', repository, sender }

/** The shape of GitLab's documentation of comment events. */
function issueNote(change: object = {}): object {
  return {
    ...{ object_kind: 'note', event_type: 'note', project_id: 5 },
    user: { id: 1, name: 'A Maintainer', username: 'maintainer', email: '[REDACTED]' },
    project: { id: 5, name: 'App', path_with_namespace: 'group/sub/app', default_branch: 'main' },
    repository: { name: 'app', url: 'ssh://git@gitlab.test/group/sub/app.git' },
    object_attributes: {
      ...{ id: 1241, note: '/agent run', noteable_type: 'Issue', author_id: 1, system: false },
      ...{ created_at: '2026-11-17 08:00:00 UTC', updated_at: '2026-11-17 08:00:00 UTC' },
      ...{ project_id: 5, noteable_id: 92, commit_id: '', line_code: null, action: 'create' },
      url: 'https://gitlab.test/group/sub/app/-/issues/17#note_1241',
      ...change,
    },
    issue: {
      ...{ id: 92, iid: 17, project_id: 5, title: 'test', description: 'Broken', state: 'opened' },
      ...{ created_at: '2026-11-16 08:00:00 UTC', updated_at: '2026-11-17 07:00:00 UTC' },
      ...{ labels: [{ id: 25, title: 'agent', color: '#6235f2' }], author_id: 3 },
    },
  }
}

interface Row {
  readonly because: string
  readonly provider: WebhookProvider
  readonly event: string
  readonly payload: object
  readonly expected?: object
}

test.each<Row>([
  {
    ...{ because: 'a comment on an issue', provider: 'github', event: 'issue_comment' },
    payload: { ...common, issue, comment },
    expected: {
      on: 'Command',
      number: 7,
      isPullRequest: false,
      actor: 'maintainer',
      actorId: 3,
      id: 5,
    },
  },
  {
    ...{ because: 'a comment on a pull request', provider: 'gitea', event: 'issue_comment' },
    payload: { ...common, issue: pull, comment },
    expected: { on: 'Command', number: 7, isPullRequest: true, text: '/agent run' },
  },
  {
    ...{ because: 'an edited comment', provider: 'github', event: 'issue_comment' },
    payload: { ...common, action: 'edited', issue, comment },
  },
  {
    ...{ because: 'a comment of somebody else', provider: 'github', event: 'issue_comment' },
    payload: { ...common, issue, comment: { ...comment, user: { login: 'reader' } } },
  },
  {
    ...{ because: 'a comment of nobody', provider: 'github', event: 'issue_comment' },
    payload: { ...common, issue, comment: { ...comment, user: null } },
  },
  {
    ...{ because: 'a quote', provider: 'github', event: 'issue_comment' },
    payload: { ...common, issue, comment: { ...comment, body: '> /agent run' } },
  },
  {
    ...{ because: 'a review of GitHub', provider: 'github', event: 'pull_request_review' },
    payload: { ...common, action: 'submitted', pull_request: { number: 8 }, review },
    expected: { on: 'ChangesRequested', number: 8, isPullRequest: true, text: 'No.', id: 6 },
  },
  {
    ...{ because: 'an approval', provider: 'github', event: 'pull_request_review' },
    payload: {
      ...{ ...common, action: 'submitted', pull_request: { number: 8 } },
      review: { ...review, state: 'approved' },
    },
  },
  {
    ...{ because: 'a review that is edited', provider: 'github', event: 'pull_request_review' },
    payload: { ...common, action: 'edited', pull_request: { number: 8 }, review },
  },
  {
    ...{ because: 'a review of Gitea', provider: 'gitea', event: 'pull_request_rejected' },
    payload: { ...common, action: 'reviewed', pull_request: { number: 8 }, review: rejected },
    expected: { on: 'ChangesRequested', number: 8, isPullRequest: true, text: 'No.' },
  },
  {
    ...{ because: 'a comment that GitLab does not send', provider: 'gitlab' },
    ...{ event: 'issue_comment', payload: { ...common, issue, comment } },
  },
  {
    ...{ because: 'a comment of GitLab on an issue', provider: 'gitlab', event: 'Note Hook' },
    payload: issueNote(),
    expected: {
      ...{ on: 'Command', repository: 'group/sub/app', number: 17, isPullRequest: false },
      ...{ actor: 'maintainer', text: '/agent run', id: 1241 },
      issue: {
        ...{ externalId: 'group/sub/app#17', title: 'test', body: 'Broken', labels: ['agent'] },
        url: 'https://gitlab.test/group/sub/app/-/issues/17',
      },
    },
  },
  {
    ...{ because: 'a comment of GitLab on a merge request', provider: 'gitlab' },
    event: 'Note Hook',
    payload: { ...issueNote({ noteable_type: 'MergeRequest' }), merge_request: { iid: 5 } },
    expected: { on: 'Command', number: 5, isPullRequest: true },
  },
  {
    ...{ because: 'a comment of GitLab that few may read', provider: 'gitlab' },
    ...{ event: 'Confidential Note Hook', payload: issueNote() },
    expected: { on: 'Command', number: 17 },
  },
  {
    ...{ because: 'an edited comment of GitLab', provider: 'gitlab', event: 'Note Hook' },
    payload: issueNote({ action: 'update' }),
  },
  {
    ...{ because: 'a comment of an older GitLab', provider: 'gitlab', event: 'Note Hook' },
    payload: issueNote({ action: undefined }),
  },
  {
    ...{ because: 'a comment by GitLab itself', provider: 'gitlab', event: 'Note Hook' },
    payload: issueNote({ system: true }),
  },
  {
    ...{ because: 'a comment of GitLab on a commit', provider: 'gitlab', event: 'Note Hook' },
    payload: issueNote({ noteable_type: 'Commit' }),
  },
  {
    ...{ because: 'a comment of GitLab by somebody else', provider: 'gitlab' },
    ...{ event: 'Note Hook', payload: issueNote({ author_id: 2 }) },
  },
  {
    ...{ because: 'a quote of GitLab', provider: 'gitlab', event: 'Note Hook' },
    payload: issueNote({ note: '> /agent run' }),
  },
])('$because', ({ provider, event, payload, expected }) => {
  const read = readDelivery(provider, event, payload)
  if (expected) expect(read).toMatchObject({ kind: 'request', request: expected })
  else expect(read).toEqual({ kind: 'ignored' })
})
