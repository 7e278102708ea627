import { textAt } from './members.ts'
import type { Labelling } from './source-issue.ts'

/** One event for each label, which it names; also for issues that are opened with labels. */
export function githubLabelling(payload: object): Labelling | undefined {
  const actor = textAt(payload, 'sender', 'login')
  const added = textAt(payload, 'label', 'name')
  const isLabelled = textAt(payload, 'action') === 'labeled'
  return isLabelled && actor && added !== undefined ? { actor, added } : undefined
}

/** The event does not say which labels were added. */
export function giteaLabelling(payload: object): Labelling | undefined {
  const actor = textAt(payload, 'sender', 'login')
  const isLabelled = ['opened', 'label_updated'].includes(textAt(payload, 'action') ?? '')
  return isLabelled && actor ? { actor, added: undefined } : undefined
}
