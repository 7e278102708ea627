import { listAt, textAt, wholeAt } from './members.ts'
import type { Labelling } from './source-issue.ts'

/** One event for each label, which it names; also for issues that are opened with labels. */
export function githubLabelling(payload: object): Labelling | undefined {
  const actor = textAt(payload, 'sender', 'login')
  const actorId = wholeAt(payload, 'sender', 'id')
  const added = textAt(payload, 'label', 'name')
  const isLabelled = textAt(payload, 'action') === 'labeled'
  return isLabelled && actor && added !== undefined ? { actor, actorId, added: [added] } : undefined
}

/** The event does not say which labels were added. */
export function giteaLabelling(payload: object): Labelling | undefined {
  const actor = textAt(payload, 'sender', 'login')
  const actorId = wholeAt(payload, 'sender', 'id')
  const isLabelled = ['opened', 'label_updated'].includes(textAt(payload, 'action') ?? '')
  return isLabelled && actor ? { actor, actorId, added: undefined } : undefined
}

/** One event for labels that were changed together, with those before and after. An issue is opened with its labels. */
export function gitlabLabelling(payload: object): Labelling | undefined {
  const actor = textAt(payload, 'user', 'username')
  const actorId = wholeAt(payload, 'user', 'id')
  const action = textAt(payload, 'object_attributes', 'action')
  const before = new Set(titles(listAt(payload, 'changes', 'labels', 'previous')))
  const after = titles(
    action === 'open' ? listAt(payload, 'labels') : listAt(payload, 'changes', 'labels', 'current'),
  )
  const added = after.filter((title) => !before.has(title))
  const isLabelled = (action === 'open' || action === 'update') && added.length > 0
  return isLabelled && actor ? { actor, actorId, added } : undefined
}

function titles(labels: readonly unknown[]): readonly string[] {
  return labels.map((label) => textAt(label, 'title')).filter((title) => title !== undefined)
}
