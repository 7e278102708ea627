import { createHash } from 'node:crypto'
import type { ImplementationSource } from '@agents/jangar-api'
import { firstMatch } from '@agents/patterns'
import type { FailedCheck } from '../../../inbox/delivery/read-check.ts'
import type { ForgePush } from '../../../inbox/delivery/read-push.ts'
import type { ForgeRequest } from '../../../inbox/delivery/read-request.ts'
import type { IssueActions, SourceIssue } from '../../../inbox/delivery/source-issue.ts'

export type Trigger = NonNullable<ImplementationSource['spec']['triggers']>[number]

/** Something that may start a run. */
export interface TriggerEvent {
  readonly trigger: Trigger
  /** Undefined if the tracker has no repositories. */
  readonly repository: string | undefined
  /** Of the issue or pull request: `owner/name#12`, or `ENG-12` of Linear. */
  readonly externalId: string
  /** Of the issue or pull request. 0 if there is none, as for a push. */
  readonly number: number
  readonly isPullRequest: boolean
  /** Name of the user in the service. */
  readonly actor: string
  readonly actorId: number | undefined
  /** What the user wrote. */
  readonly text: string
  /** The issue as it was when the event happened. Undefined if it is about a pull request. */
  readonly issue?: SourceIssue | undefined
  readonly push?: Pick<ForgePush, 'branch' | 'commit'> | undefined
  /** Nobody causes it: it continues what the actor of the run has started whose commit it checks. */
  readonly check?: FailedCheck | undefined
  /** The same for every delivery of the event. The name of the run follows from it. */
  readonly key: string
}

const usualCommand = '/agent run'

/** What somebody who opens, labels or assigns an issue starts. */
export function issueEvents(
  { spec }: ImplementationSource,
  issue: SourceIssue,
  actions: IssueActions,
  payload: Buffer,
): readonly TriggerEvent[] {
  const { repository, externalId } = issue
  const digits = Number(/\d+$/.exec(externalId)?.[0])
  if (repository !== undefined && !Number.isSafeInteger(digits)) return []
  // An identifier of another system need not have one.
  const number = Number.isSafeInteger(digits) ? digits : 0
  const about = { repository, externalId, number, isPullRequest: false, text: '', issue }
  return (spec.triggers ?? []).flatMap((trigger) => {
    const cause = causeOf(trigger, issue, actions)
    if (cause === undefined) return []
    const { actor, actorId, key = digestOf(payload) } = cause
    return [{ trigger, ...about, actor, actorId, key }]
  })
}

type Cause = Pick<TriggerEvent, 'actor' | 'actorId'> & { readonly key?: string | undefined }

function causeOf(
  { event, label = '', assignee }: Trigger,
  issue: SourceIssue,
  { opened, labelled, assigned }: IssueActions,
): Cause | undefined {
  if (event === 'Opened') return opened && { ...opened, key: 'opened' }
  if (event === 'Assigned') {
    const isMeant = assignee === undefined || (assigned && isAmong(assigned.assignees, assignee))
    return isMeant ? assigned : undefined
  }
  if (event !== 'Labelled' || labelled === undefined) return undefined
  const { added, key } = labelled
  const isAdded = added === undefined || isAmong(added, label)
  if (!isAdded || !isAmong(issue.labels, label)) return undefined
  // Without the name of the label every later event of the issue looks the same, so that only one may count.
  return { ...labelled, key: added === undefined ? 'label' : key }
}

/** What a comment or review starts: the first trigger that it fits. */
export function requestEvents(
  { spec }: ImplementationSource,
  request: ForgeRequest,
  payload: Buffer,
): readonly TriggerEvent[] {
  const { repository, externalId, number, isPullRequest, actor, actorId, id, issue } = request
  const key = id === undefined ? digestOf(payload) : `${request.on}:${id}`
  for (const trigger of spec.triggers ?? []) {
    if (trigger.event !== request.on) continue
    const text =
      request.on === 'Command'
        ? instructions(request.text, trigger.command ?? usualCommand)
        : request.text
    if (text === undefined) continue
    const what = { repository, externalId, number, isPullRequest, actor, actorId, issue }
    return [{ trigger, ...what, text: text.trim(), key }]
  }
  return []
}

/** What a push to one of its branches starts. */
export function pushEvents(
  { spec }: ImplementationSource,
  push: ForgePush,
): readonly TriggerEvent[] {
  const { repository, branch, before, commit, actor, actorId, text } = push
  const key = `push:${branch}:${before}:${commit}`
  return (spec.triggers ?? [])
    .filter(({ event, branches = [] }) => event === 'Push' && firstMatch(branches, branch))
    .map((trigger) => ({
      ...{ trigger, repository, externalId: `${repository}:${branch}`, number: 0 },
      ...{ isPullRequest: false, actor, actorId, text, push: { branch, commit }, key },
    }))
}

/** What a failed check starts: one run for a commit, however many of its checks fail. */
export function checkEvents(
  { spec }: ImplementationSource,
  check: FailedCheck,
): readonly TriggerEvent[] {
  const { repository, commit, text } = check
  const trigger = (spec.triggers ?? []).find(({ event }) => event === 'CheckFailed')
  if (trigger === undefined) return []
  return [
    {
      ...{ trigger, repository, externalId: `${repository}@${commit}`, number: 0 },
      ...{ isPullRequest: true, actor: '', actorId: undefined, text, check },
      key: `check:${commit}`,
    },
  ]
}

/**
 * What follows the command. The comment must start with it: whatever stands before it could be the start of a quote, of
 * code or of a hidden text.
 */
function instructions(comment: string, command: string): string | undefined {
  if (!comment.startsWith(command)) return undefined
  const rest = comment.slice(command.length)
  return rest === '' || /^\s/.test(rest) ? rest : undefined
}

function digestOf(payload: Buffer): string {
  return createHash('sha256').update(payload).digest('hex')
}

/** Services compare names of labels and users without regard to case. */
function isAmong(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase())
}
