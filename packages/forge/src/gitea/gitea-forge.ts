import type {
  CheckState,
  Forge,
  HeadQuery,
  IssueQuery,
  NewPullRequest,
  PullRequest,
  ReviewDecision,
  Subject,
} from '../forge.ts'
import { isForgeError } from '../forge-error.ts'
import {
  readComment,
  readIssue,
  readPermission,
  readPullRequest,
  readUser,
} from '../github/github-shapes.ts'
import { issuePath, pullPath, sharedMethods } from '../github/shared-methods.ts'
import { type ForgeAccess, ForgeHttp } from '../http/forge-http.ts'
import { path, repositoryPath, teamParts } from '../http/path.ts'
import { Fields, listOf } from '../reading/fields.ts'
import { isOpenFirst } from '../reading/order.ts'
import { giteaAutoMerge } from './gitea-auto-merge.ts'

/** Gitea and Forgejo, by version 1 of their API. */
export function giteaForge(access: ForgeAccess): Forge {
  const http = new ForgeHttp(access, {
    accept: 'application/json',
    authorization: `token ${access.token}`,
  })
  const pulls = async (
    { repository, head }: HeadQuery,
    state: 'open' | 'closed',
    mostPages: number,
    signal: AbortSignal,
  ) => {
    const query = { state, sort: 'recentupdate', limit: 50 }
    const request = { path: `${repositoryPath(repository)}/pulls`, query, signal }
    const listed = await http.pages(request, mostPages)
    const own = listed.map((item) => new Fields(item)).filter((one) => isOwn(one, repository))
    return own.map(readPullRequest).filter((one) => one.head === head)
  }
  return {
    ...sharedMethods(http),
    service: 'gitea',
    // The API has no filter for the head, and its search by base and head finds any one of several.
    pullRequestsFrom: async (query, signal) => {
      const open = await pulls(query, 'open', 40, signal)
      const closed = await pulls(query, 'closed', 2, signal)
      return [...open, ...closed].toSorted(isOpenFirst)
    },
    openPullRequest: async (wanted: NewPullRequest, signal) => {
      const { repository, head, base, body: text, title, draft } = wanted
      const body = { head, base, body: text, title: draft ? `${draftPrefix}${title}` : title }
      const at = `${repositoryPath(repository)}/pulls`
      return readPullRequest(
        new Fields(await http.json({ method: 'POST', path: at, body, signal })),
      )
    },
    verdicts: async (repository, { commit, number }: PullRequest, signal) => {
      const at = `${repositoryPath(repository)}${path`/commits/${commit}`}`
      const reviews = {
        path: `${pullPath(repository, number)}/reviews`,
        query: { limit: 50 },
        signal,
      }
      const [combined, reviewed] = await Promise.all([
        http.json({ path: `${at}/status`, signal }),
        http.pages(reviews),
      ])
      return { checks: checkState(new Fields(combined)), review: reviewDecision(reviewed) }
    },
    ...giteaAutoMerge(http),
    comments: async ({ repository, number }: Subject, signal) => {
      const at = `${issuePath(repository, number)}/comments`
      return listOf(await http.json({ path: at, signal }), readComment)
    },
    issues: async ({ repository, state, labels, since }: IssueQuery, signal) => {
      const query = {
        type: 'issues',
        state,
        labels: labels?.length ? labels.join(',') : undefined,
        since: since?.toISOString(),
        limit: 50,
      }
      const listed = await http.pages({
        path: `${repositoryPath(repository)}/issues`,
        query,
        signal,
      })
      return listOf(listed, readIssue).toSorted((a, b) =>
        a.updatedAt < b.updatedAt ? -1 : Number(a.updatedAt > b.updatedAt),
      )
    },
    permission: async (repository, user, signal) => {
      const at = `${repositoryPath(repository)}${path`/collaborators/${user.name}/permission`}`
      try {
        return readPermission(new Fields(await http.json({ path: at, signal })), user)
      } catch (error) {
        if (isForgeError(error, 'missing')) return 'none'
        throw error
      }
    },
    isTeamMember: async (team, user, signal) => {
      const [organization, name] = teamParts(team)
      try {
        const at = path`/orgs/${organization}/teams`
        const listed = await http.pages({ path: at, query: { limit: 50 }, signal })
        const found = listed
          .map((item) => new Fields(item))
          .find((one) => one.text('name').toLowerCase() === name.toLowerCase())
        if (found === undefined) return false
        const member = path`/teams/${found.whole('id')}/members/${user.name}`
        const fields = new Fields(await http.json({ path: member, signal }))
        return user.id === undefined || fields.whole('id') === user.id
      } catch (error) {
        if (isForgeError(error, 'missing')) return false
        throw error
      }
    },
    self: async (signal) => readUser(new Fields(await http.json({ path: '/user', signal }))),
  }
}

/** The default among the prefixes that an administrator can configure. */
const draftPrefix = 'WIP: '

/** Whether the head is in the repository itself, and not in a fork. */
function isOwn(pull: Fields, repository: string): boolean {
  const from = pull.object('head').objectIfAny('repo')?.text('full_name')
  return from?.toLowerCase() === repository.toLowerCase()
}

function checkState(combined: Fields): CheckState | undefined {
  if (combined.list('statuses').length === 0) return undefined
  const state = combined.text('state')
  if (state === 'success') return 'passing'
  return state === 'pending' ? 'pending' : 'failing'
}

/** A dismissed review does not count; of several of one reviewer the last one does. */
function reviewDecision(reviews: readonly unknown[]): ReviewDecision | undefined {
  const latest = new Map<string, string>()
  for (const review of reviews) {
    const fields = new Fields(review)
    const state = fields.text('state')
    if (state !== 'APPROVED' && state !== 'REQUEST_CHANGES') continue
    const user = fields.objectIfAny('user')?.text('login') ?? ''
    if (fields.flag('dismissed')) latest.delete(user)
    else latest.set(user, state)
  }
  const states = [...latest.values()]
  if (states.includes('REQUEST_CHANGES')) return 'changes-requested'
  return states.includes('APPROVED') ? 'approved' : undefined
}
