import type {
  CommitStatus,
  Forge,
  HeadQuery,
  IssueQuery,
  NewPullRequest,
  Subject,
} from '../forge.ts'
import { ForgeError, isForgeError } from '../forge-error.ts'
import { type ForgeAccess, ForgeHttp } from '../http/forge-http.ts'
import { path } from '../http/path.ts'
import { Fields, listOf } from '../reading/fields.ts'
import { isOpenFirst } from '../reading/order.ts'
import { gitlabAutoMerge } from './gitlab-auto-merge.ts'
import {
  isFromOwnBranch,
  pipelineState,
  readIssue,
  readMergeRequest,
  readNote,
  readPermission,
  readReview,
} from './gitlab-shapes.ts'

/** GitLab, by version 4 of its API. Merge requests are pull requests here. */
export function gitlabForge(access: ForgeAccess): Forge {
  const http = new ForgeHttp(access, {
    accept: 'application/json',
    authorization: `Bearer ${access.token}`,
  })
  const project = (repository: string) => path`/projects/${repository}`
  const mergeRequest = (repository: string, number: number) =>
    `${project(repository)}${path`/merge_requests/${number}`}`
  const notes = ({ repository, kind, number }: Subject) =>
    kind === 'issue'
      ? `${project(repository)}${path`/issues/${number}/notes`}`
      : `${mergeRequest(repository, number)}/notes`
  const userId = async (name: string, signal: AbortSignal): Promise<number | undefined> => {
    const found = await http.json({ path: '/users', query: { username: name }, signal })
    return listOf(found, (user) => user.whole('id'))[0]
  }
  const edit = async (repository: string, number: number, body: object, signal: AbortSignal) => {
    const at = mergeRequest(repository, number)
    return readMergeRequest(new Fields(await http.json({ method: 'PUT', path: at, body, signal })))
  }
  return {
    service: 'gitlab',
    repository: async (repository, signal) => {
      const found = new Fields(await http.json({ path: project(repository), signal }))
      return { defaultBranch: found.text('default_branch') }
    },
    pullRequestsFrom: async ({ repository, head }: HeadQuery, signal) => {
      const query = { source_branch: head, state: 'all', per_page: 100 }
      const at = `${project(repository)}/merge_requests`
      const listed = await http.pages({ path: at, query, signal })
      const own = listed.map((item) => new Fields(item)).filter(isFromOwnBranch)
      return own
        .map(readMergeRequest)
        .filter((one) => one.head === head)
        .toSorted(isOpenFirst)
    },
    openPullRequest: async (wanted: NewPullRequest, signal) => {
      const { repository, head, base, title, body: description, draft } = wanted
      const body = {
        source_branch: head,
        target_branch: base,
        title: draft ? `Draft: ${title}` : title,
        description,
      }
      const at = `${project(repository)}/merge_requests`
      return readMergeRequest(
        new Fields(await http.json({ method: 'POST', path: at, body, signal })),
      )
    },
    editPullRequest: (repository, number, { title, body }, signal) => {
      const change = {
        ...(title !== undefined && { title }),
        ...(body !== undefined && { description: body }),
      }
      return edit(repository, number, change, signal)
    },
    pullRequest: async (repository, number, signal) =>
      readMergeRequest(
        new Fields(await http.json({ path: mergeRequest(repository, number), signal })),
      ),
    verdicts: async (repository, { number }, signal) => {
      const at = mergeRequest(repository, number)
      const [found, approvals] = await Promise.all([
        http.json({ path: at, signal }),
        http.json({ path: `${at}/approvals`, signal }),
      ])
      const fields = new Fields(found)
      return { checks: pipelineState(fields), review: readReview(fields, new Fields(approvals)) }
    },
    addLabels: async (repository, number, labels, signal) => {
      await edit(repository, number, { add_labels: labels.join(',') }, signal)
    },
    requestReviews: async (repository, number, reviewers, signal) => {
      const ids: number[] = []
      for (const name of reviewers) {
        const id = await userId(name, signal)
        if (id === undefined)
          throw new ForgeError('invalid', 'a reviewer is not a user of the service')
        ids.push(id)
      }
      await edit(repository, number, { reviewer_ids: ids }, signal)
    },
    ...gitlabAutoMerge(http, project, mergeRequest),
    comments: async (subject, signal) => {
      const query = { sort: 'asc', per_page: 100 }
      return listOf(await http.pages({ path: notes(subject), query, signal }), readNote)
    },
    addComment: async (subject, body, signal) =>
      readNote(
        new Fields(
          await http.json({ method: 'POST', path: notes(subject), body: { body }, signal }),
        ),
      ),
    editComment: async (subject, id, body, signal) => {
      const at = `${notes(subject)}${path`/${id}`}`
      return readNote(
        new Fields(await http.json({ method: 'PUT', path: at, body: { body }, signal })),
      )
    },
    setCommitStatus: async (status: CommitStatus, signal) => {
      const { repository, commit, name, state, description, url } = status
      const body = {
        name,
        state: state === 'failure' ? 'failed' : state,
        description,
        ...(url !== undefined && { target_url: url }),
      }
      const at = `${project(repository)}${path`/statuses/${commit}`}`
      try {
        await http.json({ method: 'POST', path: at, body, signal })
      } catch (error) {
        // What is pending cannot become pending.
        if (!isForgeError(error, 'conflict') || error.status !== 400) throw error
      }
    },
    issue: async (repository, number, signal) => {
      const at = `${project(repository)}${path`/issues/${number}`}`
      return readIssue(new Fields(await http.json({ path: at, signal })))
    },
    issues: async ({ repository, state, labels, since }: IssueQuery, signal) => {
      const query = {
        state: state === 'open' ? 'opened' : 'all',
        labels: labels?.length ? labels.join(',') : undefined,
        updated_after: since?.toISOString(),
        order_by: 'updated_at',
        sort: 'asc',
        per_page: 100,
      }
      return listOf(
        await http.pages({ path: `${project(repository)}/issues`, query, signal }),
        readIssue,
      )
    },
    permission: async (repository, user, signal) => {
      const id = await userId(user.name, signal)
      if (id === undefined || (user.id !== undefined && user.id !== id)) return 'none'
      try {
        const at = `${project(repository)}${path`/members/all/${id}`}`
        return readPermission(new Fields(await http.json({ path: at, signal })))
      } catch (error) {
        if (isForgeError(error, 'missing')) return 'none'
        throw error
      }
    },
    // A group with its path; members of the groups above it are its members, too.
    isTeamMember: async (group, user, signal) => {
      const id = await userId(user.name, signal)
      if (id === undefined || (user.id !== undefined && user.id !== id)) return false
      try {
        const at = path`/groups/${group}/members/all/${id}`
        return readPermission(new Fields(await http.json({ path: at, signal }))) !== 'none'
      } catch (error) {
        if (isForgeError(error, 'missing')) return false
        throw error
      }
    },
    self: async (signal) => {
      const found = new Fields(await http.json({ path: '/user', signal }))
      return { name: found.text('username'), id: found.whole('id') }
    },
  }
}
