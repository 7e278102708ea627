import type {
  Forge,
  HeadQuery,
  IssueQuery,
  NewPullRequest,
  PullRequest,
  Subject,
} from '../forge.ts'
import { isForgeError } from '../forge-error.ts'
import { type ForgeAccess, ForgeHttp } from '../http/forge-http.ts'
import { path, repositoryPath, teamParts } from '../http/path.ts'
import { Fields, listOf } from '../reading/fields.ts'
import { isOpenFirst } from '../reading/order.ts'
import { githubAutoMerge } from './github-auto-merge.ts'
import {
  readComment,
  readIssue,
  readPermission,
  readPullRequest,
  readUser,
} from './github-shapes.ts'
import { checkState, reviewDecision } from './github-verdicts.ts'
import { issuePath, pullPath, sharedMethods } from './shared-methods.ts'

/** GitHub and GitHub Enterprise Server, by the REST API of version 2022-11-28. */
export function githubForge(access: ForgeAccess): Forge {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${access.token}`,
    'x-github-api-version': '2022-11-28',
  }
  const http = new ForgeHttp(access, headers)
  // GitHub Enterprise Server has it beside the version of the REST API.
  const baseUrl = access.baseUrl.replace(/\/v3\/*$/, '')
  const graphql = new ForgeHttp({ ...access, baseUrl }, headers)
  const verdicts = async (
    repository: string,
    { commit, number }: PullRequest,
    signal: AbortSignal,
  ) => {
    const at = `${repositoryPath(repository)}${path`/commits/${commit}`}`
    const query = { per_page: 100 }
    const [runs, combined, reviews] = await Promise.all([
      ifAllowed(http.json({ path: `${at}/check-runs`, query, signal })),
      ifAllowed(http.json({ path: `${at}/status`, query, signal })),
      http.pages({ path: `${pullPath(repository, number)}/reviews`, query, signal }),
    ])
    return { checks: checkState(runs, combined), review: reviewDecision(reviews) }
  }
  return {
    ...sharedMethods(http),
    service: 'github',
    pullRequestsFrom: async ({ repository, head }: HeadQuery, signal) => {
      // The owner excludes branches of forks.
      const owner = repository.slice(0, repository.indexOf('/'))
      const query = { head: `${owner}:${head}`, state: 'all', per_page: 100 }
      const listed = await http.json({ path: `${repositoryPath(repository)}/pulls`, query, signal })
      return listOf(listed, readPullRequest)
        .filter((one) => one.head === head)
        .toSorted(isOpenFirst)
    },
    openPullRequest: async (wanted: NewPullRequest, signal) => {
      const { repository, ...body } = wanted
      const at = `${repositoryPath(repository)}/pulls`
      return readPullRequest(
        new Fields(await http.json({ method: 'POST', path: at, body, signal })),
      )
    },
    verdicts,
    ...githubAutoMerge(http, graphql),
    comments: async ({ repository, number }: Subject, signal) => {
      const at = `${issuePath(repository, number)}/comments`
      return listOf(await http.pages({ path: at, query: { per_page: 100 }, signal }), readComment)
    },
    issues: async ({ repository, state, labels, since }: IssueQuery, signal) => {
      const query = {
        state,
        labels: labels?.length ? labels.join(',') : undefined,
        since: since?.toISOString(),
        sort: 'updated',
        direction: 'asc',
        per_page: 100,
      }
      const listed = await http.pages({
        path: `${repositoryPath(repository)}/issues`,
        query,
        signal,
      })
      return listed
        .map((item) => new Fields(item))
        .filter((item) => item.objectIfAny('pull_request') === undefined)
        .map(readIssue)
    },
    permission: async (repository, user, signal) => {
      const at = `${repositoryPath(repository)}${path`/collaborators/${user.name}/permission`}`
      const found = await ifKnown(http.json({ path: at, signal }))
      return found === undefined ? 'none' : readPermission(new Fields(found), user)
    },
    isTeamMember: async (team, user, signal) => {
      const [organization, slug] = teamParts(team)
      const at = path`/orgs/${organization}/teams/${slug}/memberships/${user.name}`
      const found = await ifKnown(http.json({ path: at, signal }))
      // Whoever was invited is pending.
      return found !== undefined && new Fields(found).text('state') === 'active'
    },
    self: async (signal) => {
      const found = await ifAllowed(http.json({ path: '/user', signal }))
      return found === undefined ? undefined : readUser(new Fields(found))
    },
  }
}

async function ifKnown(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (isForgeError(error, 'missing')) return undefined
    throw error
  }
}

/** Tokens that open pull requests need not be allowed to see checks. */
async function ifAllowed(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (isForgeError(error, 'forbidden', 'missing')) return undefined
    throw error
  }
}
