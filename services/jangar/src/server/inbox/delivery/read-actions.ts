import { listAt, textAt, wholeAt } from './members.ts'
import type { IssueActions, Opening } from './source-issue.ts'

/** One event for each label and assignee, which it names; also for issues that are opened with them. */
export function githubActions(payload: object): IssueActions {
  const by = senderOf(payload)
  const label = textAt(payload, 'label', 'name')
  const assignee = textAt(payload, 'assignee', 'login')
  if (by === undefined) return {}
  switch (textAt(payload, 'action')) {
    case 'opened':
      return { opened: openingOf(payload, by) }
    case 'labeled':
      return label === undefined ? {} : { labelled: { ...by, added: [label] } }
    case 'assigned':
      return assignee === undefined ? {} : { assigned: { ...by, assignees: [assignee] } }
    default:
      return {}
  }
}

/** The events do not say which labels and assignees were added. */
export function giteaActions(payload: object): IssueActions {
  const by = senderOf(payload)
  if (by === undefined) return {}
  const labelled = { ...by, added: undefined }
  const assignees = namesIn(listAt(payload, 'issue', 'assignees'), 'login')
  switch (textAt(payload, 'action')) {
    case 'opened':
      return { opened: openingOf(payload, by), labelled }
    case 'label_updated':
      return { labelled }
    case 'assigned':
      // Every later event of the issue looks the same, so that only one may count.
      return assignees.length > 0 ? { assigned: { ...by, assignees, key: 'assigned' } } : {}
    default:
      return {}
  }
}

/** One event for what was changed together, with what was there before; also for issues that are opened with it. */
export function gitlabActions(payload: object): IssueActions {
  const actor = textAt(payload, 'user', 'username')
  const actorId = wholeAt(payload, 'user', 'id')
  const action = textAt(payload, 'object_attributes', 'action')
  const isNew = action === 'open'
  if (!actor || !(isNew || action === 'update')) return {}
  const by = { actor, actorId }
  const added = gitlabAdded(payload, isNew, 'labels', 'title')
  const assignees = gitlabAdded(payload, isNew, 'assignees', 'username')
  // An issue that somebody else moves here has its first author.
  const isAuthor = wholeAt(payload, 'object_attributes', 'author_id') === actorId
  return {
    ...(isNew && isAuthor && actorId !== undefined && { opened: by }),
    ...(added.length > 0 && { labelled: { ...by, added } }),
    ...(assignees.length > 0 && { assigned: { ...by, assignees } }),
  }
}

function gitlabAdded(
  payload: object,
  isNew: boolean,
  member: 'labels' | 'assignees',
  name: string,
): readonly string[] {
  const before = new Set(namesIn(listAt(payload, 'changes', member, 'previous'), name))
  const after = isNew ? listAt(payload, member) : listAt(payload, 'changes', member, 'current')
  return namesIn(after, name).filter((one) => !before.has(one))
}

function senderOf(payload: object): Opening | undefined {
  const actor = textAt(payload, 'sender', 'login')
  const actorId = wholeAt(payload, 'sender', 'id')
  return actor ? { actor, actorId } : undefined
}

/** Undefined if the sender did not write the issue: to GitHub, somebody who transfers it opens it, too. */
function openingOf(payload: object, by: Opening): Opening | undefined {
  const isAuthor =
    textAt(payload, 'issue', 'user', 'login') === by.actor &&
    wholeAt(payload, 'issue', 'user', 'id') === by.actorId
  return isAuthor ? by : undefined
}

function namesIn(items: readonly unknown[], name: string): readonly string[] {
  return items.map((item) => textAt(item, name)).filter((one) => one !== undefined)
}
