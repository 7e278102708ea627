import type { CheckState, Comment, PullRequest, ReviewDecision } from '../forge.ts'
import { Fields, garbled } from '../reading/fields.ts'

const states: Readonly<Record<string, PullRequest['state']>> = {
  OPEN: 'open',
  MERGED: 'merged',
  DECLINED: 'closed',
  SUPERSEDED: 'closed',
}

export function readPullRequest(fields: Fields): PullRequest {
  const name = fields.text('state')
  const state = Object.hasOwn(states, name) ? states[name] : undefined
  if (state === undefined) throw garbled('state')
  return {
    number: fields.whole('id'),
    url: fields.object('links').object('html').webUrl('href'),
    state,
    draft: fields.flag('draft'),
    title: fields.text('title'),
    body: fields.textOrEmpty('description'),
    head: branchOf(fields.object('source')),
    base: branchOf(fields.object('destination')),
    // Shortened by the service.
    commit: fields.object('source').objectIfAny('commit')?.textOrEmpty('hash') ?? '',
  }
}

function branchOf(end: Fields): string {
  return end.object('branch').text('name')
}

/** Whether the branch is in the repository itself, and not in a fork, which may have been deleted. */
export function isFromOwnBranch(fields: Fields, repository: string): boolean {
  const from = fields.object('source').objectIfAny('repository')?.text('full_name')
  return from?.toLowerCase() === repository.toLowerCase()
}

/** The reviewers in the form in which they are sent back: an edit that omits them would remove them. */
export function reviewersOf(fields: Fields): readonly { readonly uuid: string }[] {
  return fields.list('reviewers').map((one) => ({ uuid: new Fields(one).text('uuid') }))
}

export function readComment(fields: Fields): Comment {
  return {
    id: fields.whole('id'),
    author: fields.objectIfAny('user')?.textOrEmpty('nickname') ?? '',
    body: fields.objectIfAny('content')?.textOrEmpty('raw') ?? '',
  }
}

export function checkState(statuses: readonly unknown[]): CheckState | undefined {
  const found = statuses.map((one) => new Fields(one).text('state'))
  if (found.some((state) => state === 'FAILED' || state === 'STOPPED')) return 'failing'
  if (found.some((state) => state !== 'SUCCESSFUL')) return 'pending'
  return found.length === 0 ? undefined : 'passing'
}

/** Participants have their last decision each. */
export function reviewDecision(fields: Fields): ReviewDecision | undefined {
  const found = fields.list('participants').map((one) => new Fields(one).textOrEmpty('state'))
  if (found.includes('changes_requested')) return 'changes-requested'
  return found.includes('approved') ? 'approved' : undefined
}
