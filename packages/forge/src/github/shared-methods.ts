import type { CommitStatus, Forge, Subject } from '../forge.ts'
import type { ForgeHttp } from '../http/forge-http.ts'
import { path, repositoryPath } from '../http/path.ts'
import { Fields } from '../reading/fields.ts'
import { readComment, readIssue, readPullRequest } from './github-shapes.ts'

/** The requests that GitHub and Gitea take in the same form. */
export function sharedMethods(http: ForgeHttp) {
  return {
    repository: async (repository, signal) => {
      const found = new Fields(await http.json({ path: repositoryPath(repository), signal }))
      return { defaultBranch: found.text('default_branch') }
    },
    editPullRequest: async (repository, number, body, signal) => {
      const at = pullPath(repository, number)
      return readPullRequest(
        new Fields(await http.json({ method: 'PATCH', path: at, body, signal })),
      )
    },
    pullRequest: async (repository, number, signal) =>
      readPullRequest(new Fields(await http.json({ path: pullPath(repository, number), signal }))),
    addLabels: async (repository, number, labels, signal) => {
      const at = `${issuePath(repository, number)}/labels`
      await http.json({ method: 'POST', path: at, body: { labels }, signal })
    },
    requestReviews: async (repository, number, reviewers, signal) => {
      const at = `${pullPath(repository, number)}/requested_reviewers`
      const teams = reviewers.filter((one) => one.includes('/'))
      const body = {
        reviewers: reviewers.filter((one) => !one.includes('/')),
        team_reviewers: teams.map((one) => one.slice(one.indexOf('/') + 1)),
      }
      await http.json({ method: 'POST', path: at, body, signal })
    },
    addComment: async ({ repository, number }: Subject, body, signal) => {
      const at = `${issuePath(repository, number)}/comments`
      return readComment(
        new Fields(await http.json({ method: 'POST', path: at, body: { body }, signal })),
      )
    },
    editComment: async ({ repository }: Subject, id, body, signal) => {
      const at = `${repositoryPath(repository)}${path`/issues/comments/${id}`}`
      return readComment(
        new Fields(await http.json({ method: 'PATCH', path: at, body: { body }, signal })),
      )
    },
    setCommitStatus: async (status: CommitStatus, signal) => {
      const { repository, commit, name: context, state, description, url } = status
      const at = `${repositoryPath(repository)}${path`/statuses/${commit}`}`
      const body = { state, context, description, ...(url !== undefined && { target_url: url }) }
      await http.json({ method: 'POST', path: at, body, signal })
    },
    issue: async (repository, number, signal) =>
      readIssue(new Fields(await http.json({ path: issuePath(repository, number), signal }))),
  } satisfies Partial<Forge>
}

export function pullPath(repository: string, number: number): string {
  return `${repositoryPath(repository)}${path`/pulls/${number}`}`
}

export function issuePath(repository: string, number: number): string {
  return `${repositoryPath(repository)}${path`/issues/${number}`}`
}
