import { flagAt, listAt, textAt, wholeAt } from './members.ts'
import { repositoryName } from './repository-name.ts'

/** Somebody has pushed commits to a branch. */
export interface ForgePush {
  readonly repository: string
  readonly branch: string
  /** The commit that the branch had before; zeros if it is new. */
  readonly before: string
  readonly commit: string
  /** Name of the user in the service. */
  readonly actor: string
  readonly actorId: number | undefined
  /** The message of the last commit. */
  readonly text: string
}

const prefix = 'refs/heads/'
const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const longestText = 2000

/** GitHub and Gitea. Pushes of bots, tags and deletions of branches start nothing. */
export function readPush(payload: object): ForgePush | undefined {
  const sender = textAt(payload, 'sender', 'login')
  const pusher = textAt(payload, 'pusher', 'login') ?? textAt(payload, 'pusher', 'name')
  const isBot = textAt(payload, 'sender', 'type') === 'Bot' || sender?.endsWith('[bot]')
  // If sender and pusher differ, as with a deploy key, the person who pushed is unknown.
  if (sender === undefined || isBot === true || sender !== pusher) return undefined
  if (flagAt(payload, 'deleted') === true) return undefined
  return pushOf({
    repository: textAt(payload, 'repository', 'full_name'),
    ...{ ref: textAt(payload, 'ref'), before: textAt(payload, 'before') },
    commit: textAt(payload, 'after'),
    ...{ actor: sender, actorId: wholeAt(payload, 'sender', 'id') },
    text: textAt(payload, 'head_commit', 'message'),
  })
}

/** The user of an access token of a project or group has such a name. */
const gitlabBot = /^(?:project|group)_\d+_bot(?:\d+|_\w+)?$/

/** GitLab. */
export function readGitlabPush(payload: object): ForgePush | undefined {
  const actor = textAt(payload, 'user_username')
  if (actor !== undefined && gitlabBot.test(actor)) return undefined
  return pushOf({
    repository: textAt(payload, 'project', 'path_with_namespace'),
    ...{ ref: textAt(payload, 'ref'), before: textAt(payload, 'before') },
    commit: textAt(payload, 'after'),
    ...{ actor, actorId: wholeAt(payload, 'user_id') },
    text: textAt(listAt(payload, 'commits').at(-1), 'message'),
  })
}

interface Given {
  readonly repository: string | undefined
  readonly ref: string | undefined
  readonly before: string | undefined
  readonly commit: string | undefined
  readonly actor: string | undefined
  readonly actorId: number | undefined
  readonly text: string | undefined
}

function pushOf({
  ref = '',
  before = '',
  commit = '',
  actor = '',
  actorId,
  text = '',
  ...given
}: Given) {
  const repository = repositoryName(given.repository)
  const branch = ref.startsWith(prefix) ? ref.slice(prefix.length) : ''
  const isMoved = isCommit(commit) && commitId.test(before)
  if (repository === undefined || !isBranchName(branch) || !isMoved || actor === '')
    return undefined
  return {
    repository,
    branch,
    before,
    commit,
    actor,
    actorId,
    text: text.slice(0, longestText).toWellFormed(),
  }
}

/** Zeros are a branch that was deleted. */
export function isCommit(text: string): boolean {
  return commitId.test(text) && !/^0+$/.test(text)
}

/** As git-check-ref-format has it, without what an option or a shell could take for its own. */
export function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    /^[\w][\w./+@=,-]*$/.test(name) &&
    !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)|[./]$/.test(name)
  )
}
