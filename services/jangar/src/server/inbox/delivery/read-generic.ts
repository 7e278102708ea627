import { listAt, textAt } from './members.ts'
import { invalid, type ReadDelivery } from './read-result.ts'
import { type IssueActions, versionOf } from './source-issue.ts'

/** It becomes the name of a branch, and part of the names of objects. */
const identifier = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$/
const actions = ['opened', 'labelled', 'updated', 'deleted']
const states = ['open', 'closed']
const longestName = 256

/** An issue of a system that the platform does not know, described as docs/sources.md says. */
export function readGenericIssue(payload: object): ReadDelivery {
  const externalId = textAt(payload, 'id')
  if (externalId === undefined || !identifier.test(externalId)) return invalid('id')
  const version = versionOf(textAt(payload, 'updatedAt'))
  if (version === undefined) return invalid('updatedAt')
  const title = textAt(payload, 'title') ?? ''
  if (title.trim() === '') return invalid('title')
  const action = textAt(payload, 'action') ?? 'updated'
  if (!actions.includes(action)) return invalid('action')
  const state = textAt(payload, 'state') ?? 'open'
  if (!states.includes(state)) return invalid('state')
  const given = listAt(payload, 'labels')
  const labels = given.filter((one) => typeof one === 'string').map((one) => one.toWellFormed())
  // A mistake in the labels must not become an issue that is no longer in the scope.
  if (labels.length < given.length || isPresentElsewise(payload, 'labels')) return invalid('labels')
  const added = textAt(payload, 'label')
  if (action === 'labelled' && added === undefined) return invalid('label')
  return {
    kind: 'issue',
    isGone: action === 'deleted',
    ...actionsOf(payload, action, added ?? ''),
    issue: {
      ...{ externalId, version, title, labels },
      body: textAt(payload, 'body') ?? '',
      url: textAt(payload, 'url') ?? '',
      state: state === 'closed' ? 'closed' : 'open',
    },
  }
}

function isPresentElsewise(payload: object, member: string): boolean {
  const value = (payload as Readonly<Record<string, unknown>>)[member]
  return value !== undefined && value !== null && !Array.isArray(value)
}

/** The signature proves the sender, who vouches for the name of the actor. Without one, nothing is started. */
function actionsOf(payload: object, action: string, label: string): IssueActions {
  const actor = textAt(payload, 'actor') ?? ''
  if (actor === '' || actor.length > longestName) return {}
  const by = { actor, actorId: undefined }
  if (action === 'opened') return { opened: by }
  return action === 'labelled' ? { labelled: { ...by, added: [label] } } : {}
}
