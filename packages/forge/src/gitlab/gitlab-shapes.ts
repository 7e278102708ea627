import type {
  CheckState,
  Comment,
  Issue,
  Permission,
  PullRequest,
  ReviewDecision,
} from '../forge.ts'
import { type Fields, garbled } from '../reading/fields.ts'

const states: Readonly<Record<string, PullRequest['state']>> = {
  opened: 'open',
  // While it is being merged.
  locked: 'open',
  merged: 'merged',
  closed: 'closed',
}

export function readMergeRequest(fields: Fields): PullRequest {
  const name = fields.text('state')
  const state = Object.hasOwn(states, name) ? states[name] : undefined
  if (state === undefined) throw garbled('state')
  return {
    number: fields.whole('iid'),
    url: fields.webUrl('web_url'),
    state,
    draft: fields.flag('draft'),
    title: fields.text('title'),
    body: fields.textOrEmpty('description'),
    head: fields.text('source_branch'),
    base: fields.text('target_branch'),
    commit: fields.textOrEmpty('sha'),
  }
}

/** Whether the branch is in the project itself, and not in a fork. */
export function isFromOwnBranch(fields: Fields): boolean {
  return fields.whole('source_project_id') === fields.whole('target_project_id')
}

export function readNote(fields: Fields): Comment {
  return {
    id: fields.whole('id'),
    author: fields.objectIfAny('author')?.text('username') ?? '',
    body: fields.textOrEmpty('body'),
  }
}

export function readIssue(fields: Fields): Issue {
  return {
    number: fields.whole('iid'),
    url: fields.webUrl('web_url'),
    state: fields.text('state') === 'opened' ? 'open' : 'closed',
    title: fields.text('title'),
    body: fields.textOrEmpty('description'),
    labels: fields.list('labels').map((label) => {
      if (typeof label !== 'string') throw garbled('labels')
      return label
    }),
    author: fields.objectIfAny('author')?.text('username') ?? '',
    updatedAt: fields.text('updated_at'),
  }
}

export function pipelineState(fields: Fields): CheckState | undefined {
  const status = fields.objectIfAny('head_pipeline')?.text('status')
  if (status === undefined) return undefined
  if (status === 'success' || status === 'skipped') return 'passing'
  return status === 'failed' || status === 'canceled' ? 'failing' : 'pending'
}

/** `approved` is true also where no approval is required, so somebody must have approved. */
export function readReview(fields: Fields, approvals: Fields): ReviewDecision | undefined {
  if (fields.textOrEmpty('detailed_merge_status') === 'requested_changes')
    return 'changes-requested'
  const isApproved = approvals.flag('approved') && approvals.list('approved_by').length > 0
  return isApproved ? 'approved' : undefined
}

/** Developers may push, maintainers administer. */
export function readPermission(fields: Fields): Permission {
  // A user who is blocked, or whose membership waits for consent, is still listed.
  const states = ['state', 'membership_state'].map((name) => fields.textOrEmpty(name))
  if (states.some((state) => state !== '' && state !== 'active')) return 'none'
  const level = fields.whole('access_level')
  if (level >= 40) return 'admin'
  if (level >= 30) return 'write'
  return level >= 10 ? 'read' : 'none'
}
