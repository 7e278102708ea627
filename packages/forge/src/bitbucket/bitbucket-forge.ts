import { createHash } from 'node:crypto'
import type { CommitStatus, Forge, HeadQuery, NewPullRequest, Subject } from '../forge.ts'
import { ForgeError } from '../forge-error.ts'
import { type ForgeAccess, ForgeHttp } from '../http/forge-http.ts'
import { path, repositorySegments } from '../http/path.ts'
import { Fields, listOf } from '../reading/fields.ts'
import { isOpenFirst } from '../reading/order.ts'
import {
  checkState,
  isFromOwnBranch,
  readComment,
  readPullRequest,
  reviewDecision,
  reviewersOf,
} from './bitbucket-shapes.ts'

/** Bitbucket Cloud, by version 2.0 of its API. Bitbucket Data Center has another one. */
export function bitbucketForge(access: ForgeAccess): Forge {
  const http = new ForgeHttp(access, {
    accept: 'application/json',
    authorization: `Bearer ${access.token}`,
  })
  const at = (repository: string) => `/repositories${repositorySegments(repository)}`
  const pullAt = (repository: string, number: number) =>
    `${at(repository)}${path`/pullrequests/${number}`}`
  const commentsAt = ({ repository, kind, number }: Subject) => {
    if (kind === 'issue') throw unsupported('issues')
    return `${pullAt(repository, number)}/comments`
  }
  const found = async (repository: string, number: number, signal: AbortSignal) =>
    new Fields(await http.json({ path: pullAt(repository, number), signal }))
  /** What an edit omits is lost, so that it contains what is there. */
  const edit = async (
    repository: string,
    number: number,
    change: (before: Fields) => object,
    signal: AbortSignal,
  ) => {
    const before = await found(repository, number, signal)
    const body = {
      title: before.text('title'),
      description: before.textOrEmpty('description'),
      reviewers: reviewersOf(before),
      ...change(before),
    }
    const request = { method: 'PUT', path: pullAt(repository, number), body, signal } as const
    return readPullRequest(new Fields(await http.json(request)))
  }
  return {
    service: 'bitbucket',
    repository: async (repository, signal) => {
      const facts = new Fields(await http.json({ path: at(repository), signal }))
      return { defaultBranch: facts.object('mainbranch').text('name') }
    },
    pullRequestsFrom: async ({ repository, head }: HeadQuery, signal) => {
      const query = {
        q: `source.branch.name = "${head.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
        state: ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'],
        pagelen: 50,
      }
      const request = { path: `${at(repository)}/pullrequests`, query, signal }
      const listed = (await http.pages(request, 20, 'values')).map((item) => new Fields(item))
      return listed
        .filter((one) => isFromOwnBranch(one, repository))
        .map(readPullRequest)
        .filter((one) => one.head === head)
        .toSorted(isOpenFirst)
    },
    // For branches that have an open one, Bitbucket answers with that one instead of a second.
    openPullRequest: async (wanted: NewPullRequest, signal) => {
      const { repository, head, base, title, body: description, draft } = wanted
      const body = {
        ...{ title, description, draft },
        source: { branch: { name: head } },
        destination: { branch: { name: base } },
      }
      const request = { method: 'POST', path: `${at(repository)}/pullrequests`, body } as const
      return readPullRequest(new Fields(await http.json({ ...request, signal })))
    },
    editPullRequest: (repository, number, { title, body }, signal) => {
      const change = {
        ...(title !== undefined && { title }),
        ...(body !== undefined && { description: body }),
      }
      return edit(repository, number, () => change, signal)
    },
    pullRequest: async (repository, number, signal) =>
      readPullRequest(await found(repository, number, signal)),
    verdicts: async (repository, { number }, signal) => {
      const query = { pagelen: 100 }
      const statuses = { path: `${pullAt(repository, number)}/statuses`, query, signal }
      const [pull, listed] = await Promise.all([
        found(repository, number, signal),
        http.pages(statuses, 20, 'values'),
      ])
      return { checks: checkState(listed), review: reviewDecision(pull) }
    },
    addLabels: () => Promise.reject(unsupported('labels of pull requests')),
    requestReviews: async (repository, number, reviewers, signal) => {
      if (!reviewers.every((one) => uuid.test(one))) {
        const message = 'a reviewer of Bitbucket is named by its UUID in braces'
        throw new ForgeError('invalid', message)
      }
      const added = (before: Fields) => {
        const known = reviewersOf(before)
        const isNew = (one: string) => !known.some((other) => other.uuid === one)
        return { reviewers: [...known, ...reviewers.filter(isNew).map((one) => ({ uuid: one }))] }
      }
      await edit(repository, number, added, signal)
    },
    comments: async (subject, signal) => {
      const request = { path: commentsAt(subject), query: { pagelen: 100 }, signal }
      return listOf(await http.pages(request, 20, 'values'), readComment)
    },
    addComment: async (subject, raw, signal) => {
      const body = { content: { raw } }
      const request = { method: 'POST', path: commentsAt(subject), body, signal } as const
      return readComment(new Fields(await http.json(request)))
    },
    editComment: async (subject, id, raw, signal) => {
      const place = `${commentsAt(subject)}${path`/${id}`}`
      const request = { method: 'PUT', path: place, body: { content: { raw } }, signal } as const
      return readComment(new Fields(await http.json(request)))
    },
    setCommitStatus: async (status: CommitStatus, signal) => {
      const { repository, commit, name, state, description, url } = status
      const body = {
        key: keyOf(name),
        name,
        state: statusStates[state],
        description,
        // The link of the status.
        url:
          url ??
          `https://bitbucket.org${repositorySegments(repository)}${path`/commits/${commit}`}`,
      }
      const place = `${at(repository)}${path`/commit/${commit}`}/statuses/build`
      await http.json({ method: 'POST', path: place, body, signal })
    },
    autoMerge: async () => ({ state: 'unsupported', why: noAutoMerge }),
    enableAutoMerge: () => Promise.reject(new ForgeError('invalid', noAutoMerge)),
    issue: () => Promise.reject(unsupported('issues')),
    issues: () => Promise.reject(unsupported('issues')),
    permission: () => Promise.reject(unsupported('permissions of users')),
    isTeamMember: () => Promise.reject(unsupported('teams')),
    self: () => Promise.reject(unsupported('users')),
  }
}

const uuid = /^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$/i

const statusStates = { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED' } as const

const longestKey = 40

/** Keys are short, and two names must not have the same. */
function keyOf(name: string): string {
  if (name.length <= longestKey) return name
  return createHash('sha256').update(name).digest('hex').slice(0, longestKey)
}

const noAutoMerge = 'the API of Bitbucket cannot merge later'

function unsupported(what: string): ForgeError {
  return new ForgeError('invalid', `${what} are not supported for Bitbucket`)
}
