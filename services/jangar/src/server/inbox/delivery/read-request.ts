import { flagAt, objectAt, textAt, wholeAt } from './members.ts'
import { repositoryName } from './repository-name.ts'
import type { SourceIssue } from './source-issue.ts'

/** What a person asks for in an issue or a pull request. */
export interface ForgeRequest {
  readonly on: 'Command' | 'ChangesRequested'
  /** `owner/name`; undefined if the tracker has no repositories. */
  readonly repository: string | undefined
  /** Of the issue or pull request: `owner/name#12`, or `ENG-12` of Linear. */
  readonly externalId: string
  readonly number: number
  readonly isPullRequest: boolean
  /** Name of the user in the service. */
  readonly actor: string
  readonly actorId: number | undefined
  /** The comment as a whole, or the text of the review. */
  readonly text: string
  /** The issue that the comment is on. Undefined if it is on a pull request. */
  readonly issue?: SourceIssue | undefined
  /** Identifies the comment or review. Undefined if the service does not. */
  readonly id: number | string | undefined
}

/**
 * A comment that could be a command: new, and by the one who sends it. Edits are not commands: whoever may edit
 * the comments of others would speak for them.
 */
export function readComment(payload: object): ForgeRequest | undefined {
  if (textAt(payload, 'action') !== 'created') return undefined
  const text = textAt(payload, 'comment', 'body') ?? ''
  const number = wholeAt(payload, 'issue', 'number')
  const author = textAt(payload, 'comment', 'user', 'login')
  const found = common(payload)
  if (!text.startsWith('/') || number === undefined || found === undefined) return undefined
  if (author !== found.actor) return undefined
  const isPullRequest = objectAt(payload, 'issue', 'pull_request') !== undefined
  const id = wholeAt(payload, 'comment', 'id')
  const where = numbered(found.repository, number)
  return { ...found, ...where, on: 'Command', isPullRequest, text, id }
}

/** A review that requests changes. GitHub has the decision in the review, Gitea in the name of the event. */
export function readReview(payload: object): ForgeRequest | undefined {
  const action = textAt(payload, 'action')
  const state = textAt(payload, 'review', 'state')
  const isGithub = action === 'submitted' && state === 'changes_requested'
  const isGitea =
    action === 'reviewed' && textAt(payload, 'review', 'type') === 'pull_request_review_rejected'
  const number = wholeAt(payload, 'pull_request', 'number')
  const found = common(payload)
  if (!(isGithub || isGitea) || number === undefined || found === undefined) return undefined
  const author = textAt(payload, 'review', 'user', 'login')
  if (author !== undefined && author !== found.actor) return undefined
  const text = textAt(payload, 'review', isGithub ? 'body' : 'content') ?? ''
  const id = wholeAt(payload, 'review', 'id')
  const where = numbered(found.repository, number)
  return { ...found, ...where, on: 'ChangesRequested', isPullRequest: true, text, id }
}

/**
 * A new comment of GitLab, on an issue or a merge request. Comments on commits, and those that GitLab writes itself,
 * are not commands; nor are those of a GitLab that does not say whether they are new.
 */
export function readNote(payload: object): ForgeRequest | undefined {
  const note = objectAt(payload, 'object_attributes')
  const isNew = textAt(note, 'action') === 'create' && flagAt(note, 'system') === false
  const isPullRequest = textAt(note, 'noteable_type') === 'MergeRequest'
  if (!isNew || !(isPullRequest || textAt(note, 'noteable_type') === 'Issue')) return undefined
  const text = textAt(note, 'note') ?? ''
  const number = wholeAt(payload, isPullRequest ? 'merge_request' : 'issue', 'iid')
  const repository = repositoryName(textAt(payload, 'project', 'path_with_namespace'))
  const actor = textAt(payload, 'user', 'username') ?? ''
  const author = wholeAt(note, 'author_id')
  if (author === undefined || author !== wholeAt(payload, 'user', 'id')) return undefined
  if (!text.startsWith('/') || number === undefined || repository === undefined) return undefined
  const id = wholeAt(note, 'id')
  if (actor === '') return undefined
  const where = { repository, ...numbered(repository, number) }
  return { on: 'Command', ...where, isPullRequest, actor, actorId: author, text, id }
}

function numbered(repository: string, number: number) {
  return { number, externalId: `${repository}#${number}` }
}

function common(payload: object) {
  const repository = repositoryName(textAt(payload, 'repository', 'full_name'))
  const actor = textAt(payload, 'sender', 'login')
  if (repository === undefined || actor === undefined || actor === '') return undefined
  return { repository, actor, actorId: wholeAt(payload, 'sender', 'id') }
}
