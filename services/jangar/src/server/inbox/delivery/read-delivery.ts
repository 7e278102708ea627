import { listAt, objectAt, textAt, wholeAt } from './members.ts'
import { giteaActions, githubActions, gitlabActions } from './read-actions.ts'
import { type FailedCheck, readCheckRun, readPipeline, readStatus } from './read-check.ts'
import { readGenericIssue } from './read-generic.ts'
import { readLinearComment, readLinearIssue } from './read-linear.ts'
import { type ForgePush, readGitlabPush, readPush } from './read-push.ts'
import { type ForgeRequest, readComment, readNote, readReview } from './read-request.ts'
import { invalid, labelsIn, type ReadDelivery } from './read-result.ts'
import { repositoryName } from './repository-name.ts'
import type { WebhookHeaders, WebhookProvider } from './signature.ts'
import { type IssueActions, versionOf } from './source-issue.ts'

/** Headers with the name of the event and the identifier of the delivery. */
export const deliveryHeaders: Readonly<
  Record<WebhookProvider, { readonly event?: string; readonly id: string }>
> = {
  github: { event: 'x-github-event', id: 'x-github-delivery' },
  gitea: { event: 'x-gitea-event', id: 'x-gitea-delivery' },
  gitlab: { event: 'x-gitlab-event', id: 'x-gitlab-event-uuid' },
  linear: { event: 'linear-event', id: 'linear-delivery' },
  // There is one event.
  generic: { id: 'webhook-id' },
}

const genericEvent = 'issue'

export function eventOf(provider: WebhookProvider, headers: WebhookHeaders): string {
  const { event } = deliveryHeaders[provider]
  return event === undefined ? genericEvent : (headers[event] ?? '').slice(0, 100)
}

/** Undefined if the sender gives none that can be shown. */
export function deliveryIdOf(
  provider: WebhookProvider,
  headers: WebhookHeaders,
): string | undefined {
  const id = headers[deliveryHeaders[provider].id]
  return id !== undefined && /^[\w.:-]{1,100}$/.test(id) ? id : undefined
}

/** The events that are read; others are ignored. */
const readers: Readonly<
  Record<WebhookProvider, Readonly<Record<string, (payload: object) => ReadDelivery>>>
> = {
  github: {
    issues: forgeIssue(githubActions),
    issue_comment: requestOr(readComment),
    pull_request_review: requestOr(readReview),
    push: pushOr(readPush),
    check_run: checkOr(readCheckRun),
    status: checkOr(readStatus),
  },
  gitea: {
    issues: forgeIssue(giteaActions),
    issue_comment: requestOr(readComment),
    pull_request_rejected: requestOr(readReview),
    push: pushOr(readPush),
    status: checkOr(readStatus),
  },
  // A review that requests changes has no event.
  gitlab: {
    'Issue Hook': gitlabIssue,
    'Confidential Issue Hook': gitlabIssue,
    'Note Hook': gitlabNote,
    'Confidential Note Hook': gitlabNote,
    'Push Hook': pushOr(readGitlabPush),
    'Pipeline Hook': checkOr(readPipeline),
  },
  linear: { Issue: readLinearIssue, Comment: readLinearComment },
  generic: { [genericEvent]: readGenericIssue },
}

export function readDelivery(
  provider: WebhookProvider,
  event: string,
  payload: object,
): ReadDelivery {
  const known = readers[provider]
  const read = Object.hasOwn(known, event) ? known[event] : undefined
  return read === undefined ? { kind: 'ignored' } : read(payload)
}

export type TakenKind = Exclude<ReadDelivery['kind'], 'ignored' | 'invalid'>

/** The issue, pull request, branch or commit whose deliveries are processed one after the other. */
export function subjectOf(read: Extract<ReadDelivery, { kind: TakenKind }>): string {
  if (read.kind === 'issue') return read.issue.externalId.toLowerCase()
  if (read.kind === 'request') return read.request.externalId.toLowerCase()
  if (read.kind === 'push') return `${read.push.repository.toLowerCase()}:${read.push.branch}`
  return `${read.check.repository.toLowerCase()}@${read.check.commit}`
}

function pushOr(read: (payload: object) => ForgePush | undefined) {
  return (payload: object): ReadDelivery => {
    const push = read(payload)
    return push === undefined ? { kind: 'ignored' } : { kind: 'push', push }
  }
}

function checkOr(read: (payload: object) => FailedCheck | undefined) {
  return (payload: object): ReadDelivery => {
    const check = read(payload)
    return check === undefined ? { kind: 'ignored' } : { kind: 'check', check }
  }
}

function requestOr(read: (payload: object) => ForgeRequest | undefined) {
  return (payload: object): ReadDelivery => {
    const request = read(payload)
    if (request === undefined) return { kind: 'ignored' }
    if (request.isPullRequest) return { kind: 'request', request }
    const on = readForgeIssue(payload, {})
    return on.kind === 'issue' ? { kind: 'request', request: { ...request, issue: on.issue } } : on
  }
}

/** GitHub and Gitea have the same names. */
function forgeIssue(actions: (payload: object) => IssueActions) {
  return (payload: object): ReadDelivery => readForgeIssue(payload, actions(payload))
}

function readForgeIssue(payload: object, actions: IssueActions): ReadDelivery {
  const issue = objectAt(payload, 'issue')
  if (issue === undefined) return invalid('issue')
  // Pull requests are not work to do.
  if (objectAt(issue, 'pull_request') !== undefined) return { kind: 'ignored' }
  const repository = repositoryName(textAt(payload, 'repository', 'full_name'))
  if (repository === undefined) return invalid('repository.full_name')
  const number = wholeAt(issue, 'number')
  if (number === undefined) return invalid('issue.number')
  const version = versionOf(textAt(issue, 'updated_at'))
  if (version === undefined) return invalid('issue.updated_at')
  const action = textAt(payload, 'action')
  return {
    kind: 'issue',
    isGone: action === 'deleted' || action === 'transferred',
    ...actions,
    issue: {
      ...{ externalId: `${repository}#${number}`, repository, version },
      title: textAt(issue, 'title') ?? '',
      body: textAt(issue, 'body') ?? '',
      labels: labelsIn(listAt(issue, 'labels'), 'name'),
      url: textAt(issue, 'html_url') ?? '',
      state: textAt(issue, 'state') === 'closed' ? 'closed' : 'open',
    },
  }
}

function gitlabIssue(payload: object): ReadDelivery {
  const read = readGitlabIssue(payload, 'object_attributes', listAt(payload, 'labels'))
  return read.kind === 'issue' ? { ...read, ...gitlabActions(payload) } : read
}

function gitlabNote(payload: object): ReadDelivery {
  const request = readNote(payload)
  if (request === undefined) return { kind: 'ignored' }
  if (request.isPullRequest) return { kind: 'request', request }
  const on = readGitlabIssue(payload, 'issue', listAt(payload, 'issue', 'labels'))
  if (on.kind !== 'issue') return on
  // The issue in such a delivery has no address of its own.
  const [url = ''] = (textAt(payload, 'object_attributes', 'url') ?? '').split('#', 1)
  return { kind: 'request', request: { ...request, issue: { ...on.issue, url } } }
}

function readGitlabIssue(
  payload: object,
  member: 'object_attributes' | 'issue',
  labels: readonly unknown[],
): ReadDelivery {
  const issue = objectAt(payload, member)
  if (issue === undefined) return invalid(member)
  const repository = repositoryName(textAt(payload, 'project', 'path_with_namespace'))
  if (repository === undefined) return invalid('project.path_with_namespace')
  const number = wholeAt(issue, 'iid')
  if (number === undefined) return invalid(`${member}.iid`)
  const version = versionOf(textAt(issue, 'updated_at'))
  if (version === undefined) return invalid(`${member}.updated_at`)
  return {
    kind: 'issue',
    isGone: false,
    issue: {
      ...{ externalId: `${repository}#${number}`, repository, version },
      title: textAt(issue, 'title') ?? '',
      body: textAt(issue, 'description') ?? '',
      labels: labelsIn(labels, 'title'),
      url: textAt(issue, 'url') ?? '',
      state: textAt(issue, 'state') === 'closed' ? 'closed' : 'open',
    },
  }
}
