import { createHash } from 'node:crypto'
import { flagAt, listAt, objectAt, textAt } from './members.ts'
import { invalid, labelsIn, type ReadDelivery } from './read-result.ts'
import { type IssueActions, versionOf } from './source-issue.ts'

const identifier = /^[A-Za-z0-9]{1,20}-\d{1,9}$/
const closedStates = ['completed', 'canceled', 'duplicate']

/** An issue of Linear that was created, changed or removed. */
export function readLinearIssue(payload: object): ReadDelivery {
  if (textAt(payload, 'type') !== 'Issue') return { kind: 'ignored' }
  const issue = objectAt(payload, 'data')
  if (issue === undefined) return invalid('data')
  const externalId = textAt(issue, 'identifier')
  if (externalId === undefined || !identifier.test(externalId)) return invalid('data.identifier')
  const version = versionOf(textAt(issue, 'updatedAt'))
  if (version === undefined) return invalid('data.updatedAt')
  return {
    kind: 'issue',
    isGone: textAt(payload, 'action') === 'remove' || isArchived(issue),
    ...actionsIn(payload),
    issue: {
      ...{ externalId, version, formerIds: formerIdsOf(issue) },
      team: textAt(issue, 'team', 'key'),
      project: textAt(issue, 'project', 'name'),
      title: textAt(issue, 'title') ?? '',
      body: textAt(issue, 'description') ?? '',
      // Lists have them in another order.
      labels: labelsIn(labelsOf(issue), 'name').toSorted(),
      url: textAt(issue, 'url') ?? '',
      state: closedStates.includes(textAt(issue, 'state', 'type') ?? '') ? 'closed' : 'open',
    },
  }
}

/** Also in the trash. */
function isArchived(issue: object): boolean {
  return textAt(issue, 'archivedAt') !== undefined || flagAt(issue, 'trashed') === true
}

function formerIdsOf(issue: object): readonly string[] {
  return listAt(issue, 'previousIdentifiers')
    .filter((one) => typeof one === 'string')
    .filter((one) => identifier.test(one))
    .slice(-mostFormerIds)
}

/** An issue is rarely moved to another team. */
const mostFormerIds = 10

/**
 * A new comment on an issue that could be a command, by the person who sends it. Linear does not send the issue with
 * it, only its identifier.
 */
export function readLinearComment(payload: object): ReadDelivery {
  const comment = objectAt(payload, 'data')
  const isNew = textAt(payload, 'action') === 'create' && textAt(comment, 'editedAt') === undefined
  const text = textAt(comment, 'body') ?? ''
  const externalId = textAt(comment, 'issue', 'identifier') ?? ''
  const actor = personIn(payload)
  const id = textAt(comment, 'id')
  if (textAt(payload, 'type') !== 'Comment' || !isNew || !text.startsWith('/')) return ignored
  if (actor === undefined || textAt(comment, 'userId') !== actor.id) return ignored
  if (!identifier.test(externalId) || id === undefined) return ignored
  const number = Number(externalId.slice(externalId.lastIndexOf('-') + 1))
  return {
    kind: 'request',
    request: {
      ...{ on: 'Command', repository: undefined, externalId, number, isPullRequest: false },
      ...{ actor: actor.email, actorId: undefined, text, id },
    },
  }
}

const ignored = { kind: 'ignored' } as const

/**
 * The person who caused the event, and not an integration or an app. The address is proven to Linear and unique in its
 * workspace; the name can be chosen freely.
 */
function personIn(payload: object): { readonly id: string; readonly email: string } | undefined {
  const id = textAt(payload, 'actor', 'id') ?? ''
  const email = textAt(payload, 'actor', 'email') ?? ''
  const isPerson = textAt(payload, 'actor', 'type') === 'user' && id !== '' && email.includes('@')
  return isPerson ? { id, email } : undefined
}

/** One event for what was changed together, with the identifiers of what was there before. */
function actionsIn(payload: object): IssueActions {
  const person = personIn(payload)
  const action = textAt(payload, 'action')
  const data = objectAt(payload, 'data')
  const previous = objectAt(payload, 'updatedFrom') ?? {}
  const isNew = action === 'create'
  if (person === undefined || !(isNew || action === 'update')) return {}
  const by = { actor: person.email, actorId: undefined }
  const before = new Set(isNew ? [] : listAt(previous, 'labelIds'))
  const labels = labelsOf(data).filter((label) => !before.has(textAt(label, 'id')))
  const added = isNew || Object.hasOwn(previous, 'labelIds') ? labelsIn(labels, 'name') : []
  const assignee = textAt(data, 'assignee', 'email')
  const isAssigned = isNew || Object.hasOwn(previous, 'assigneeId')
  return {
    ...(isNew && textAt(data, 'creatorId') === person.id && { opened: by }),
    ...(added.length > 0 && { labelled: { ...by, added, key: keyOf(payload, added) } }),
    ...(isAssigned &&
      assignee !== undefined && {
        assigned: { ...by, assignees: [assignee], key: keyOf(payload, ['assigned', assignee]) },
      }),
  }
}

/** A delivery that is sent again has another time, but says the same about the same moment. */
function keyOf(payload: object, what: readonly string[]): string {
  const facts = [textAt(payload, 'createdAt'), textAt(payload, 'data', 'updatedAt'), what]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

function labelsOf(issue: object | undefined): readonly unknown[] {
  const nodes = listAt(issue, 'labels', 'nodes')
  return nodes.length > 0 ? nodes : listAt(issue, 'labels')
}
