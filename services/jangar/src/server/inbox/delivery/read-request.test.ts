import { expect, test } from 'vitest'
import { readDelivery } from './read-delivery.ts'
import type { WebhookProvider } from './signature.ts'

const repository = { full_name: 'o/r' }
const sender = { login: 'maintainer' }
const issue = { number: 7, title: 'x', updated_at: '2026-11-17T08:00:00Z' }
const pull = { ...issue, pull_request: {} }
const comment = { id: 5, body: '/agent run', user: sender }
const review = { id: 6, state: 'changes_requested', body: 'No.', user: sender }
const rejected = { type: 'pull_request_review_rejected', content: 'No.' }
const common = { action: 'created', repository, sender }

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
    expected: { on: 'Command', number: 7, isPullRequest: false, actor: 'maintainer', id: 5 },
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
    ...{ because: 'a comment of GitLab', provider: 'gitlab', event: 'issue_comment' },
    payload: { ...common, issue, comment },
  },
])('$because', ({ provider, event, payload, expected }) => {
  const read = readDelivery(provider, event, payload)
  if (expected) expect(read).toMatchObject({ kind: 'request', request: expected })
  else expect(read).toEqual({ kind: 'ignored' })
})
