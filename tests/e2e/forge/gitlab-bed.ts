import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { versionControlProvider } from '@agents/jangar-api'
import { kindRef, SecretKind } from '@agents/kube'
import { until } from '../../support/testbed/until.ts'
import { secret, startSourceBed } from './source-bed.ts'

export const repository = 'group/sub/app'
export const [owner, maintainer, reporter, blocked, bot] = [
  { id: 1, username: 'owner', access_level: 50 },
  { id: 2, username: 'maintainer', access_level: 30 },
  { id: 3, username: 'reporter', access_level: 20 },
  { id: 4, username: 'blocked', access_level: 40, state: 'blocked' },
  // Whose token the platform has.
  { id: 5, username: 'bot', access_level: 40 },
] as const
const users = [owner, maintainer, reporter, blocked, bot]
export type User = (typeof users)[number]

interface Note {
  readonly id: number
  readonly body: string
}

const mergeRequest = {
  ...{ state: 'opened', draft: false, title: 'Fix it', description: '' },
  ...{ source_branch: 'agents/1', target_branch: 'main', web_url: 'https://gitlab.test/9' },
}

/** The part of GitLab's API that sources use, as its documentation describes it. */
async function startGitlab(
  notes: Map<string, Note[]>,
  issues: ReadonlyMap<number, object>,
  heads: ReadonlyMap<number, string>,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gitlab.test')
    const body = await text(request)
    const at = `${request.method} ${pathname.replace('/api/v4', '')}`
    const answer = (found: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found))
    }
    const project = `/projects/${encodeURIComponent(repository)}`
    const [, issue = ''] = new RegExp(`^\\w+ ${project}/issues/(\\d+)/notes`).exec(at) ?? []
    if (at === 'GET /user') return answer(bot)
    if (at === 'GET /users') {
      return answer(users.filter(({ username }) => username === searchParams.get('username')))
    }
    if (at.startsWith(`GET ${project}/members/all/`)) {
      const member = users.find(({ id }) => at.endsWith(`/${id}`))
      return member === undefined ? answer({ message: '404 Not found' }, 404) : answer(member)
    }
    if (at === `GET ${project}/issues`) return answer([...issues.values()])
    const [, proposal = ''] = new RegExp(`^GET ${project}/merge_requests/(\\d+)$`).exec(at) ?? []
    const sha = heads.get(Number(proposal))
    if (sha !== undefined) return answer({ ...mergeRequest, iid: Number(proposal), sha })
    if (issue === '') return answer({ message: '404 Not found' }, 404)
    const listed = notes.get(issue) ?? []
    notes.set(issue, listed)
    if (request.method === 'GET') return answer(listed)
    const written = { ...JSON.parse(body), author: { username: 'bot' } }
    if (request.method === 'PUT') return answer(Object.assign(listed[0] ?? {}, written))
    listed.push({ id: 900 + Number(issue), ...written })
    return answer(listed.at(-1), 201)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

export type GitlabBed = Awaited<ReturnType<typeof startGitlabBed>>

/** A platform with a VersionControlProvider `lab`, and a GitLab that sends what tests want to the source `issues`. */
export async function startGitlabBed(namespace: string) {
  /** Comments on issues, by number. */
  const notes = new Map<string, Note[]>()
  /** Those that are open. */
  const issues = new Map<number, object>()
  /** The last commits of open merge requests, by number. */
  const heads = new Map<number, string>()
  const gitlab = await startGitlab(notes, issues, heads)
  const bed = await startSourceBed(namespace)
  const { port } = gitlab.address() as AddressInfo
  const data = { token: Buffer.from('a-token-of-the-bot').toString('base64') }
  await bed.client.create(SecretKind, { metadata: { name: 'forge', namespace }, data } as never)
  await bed.client.create(kindRef(versionControlProvider), {
    metadata: { name: 'lab', namespace },
    spec: {
      ...{ provider: 'gitlab', cloneBaseUrl: `http://127.0.0.1:${port}` },
      auth: { token: { secretRef: { name: 'forge' } } },
    },
  } as never)

  /** GitLab proves itself by the secret itself. */
  async function send(event: string, payload: object, token = secret): Promise<number> {
    const { status } = await fetch(bed.hookUrl('gitlab', 'issues'), {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: {
        ...{ 'content-type': 'application/json', 'x-gitlab-event': event },
        'x-gitlab-token': token,
      },
    })
    return status
  }

  let edits = 0
  const urlOf = (iid: number) => `https://gitlab.test/${repository}/-/issues/${iid}`
  const issueOf = (iid: number, change: object = {}) => {
    edits += 1
    const issue = {
      ...{ id: 1000 + iid, iid, title: 'Fix it', description: 'It is broken.', state: 'opened' },
      updated_at: new Date(Date.UTC(2026, 10, 17) + edits * 1000).toISOString(),
      ...change,
    }
    if (issue.state === 'opened') {
      issues.set(iid, { ...issue, web_url: urlOf(iid), labels: ['agent'], author: owner })
    } else issues.delete(iid)
    return issue
  }
  let count = 0

  return {
    ...{ bed, notes, heads, send },
    /** The source `issues`. */
    source: async (spec: object) => {
      await bed.source('issues', {
        ...{ provider: 'gitlab', webhook: { enabled: true }, vcsRef: { name: 'lab' } },
        ...{ scope: { repository }, ...spec },
      })
      const isKnown = async () => (await send('System Hook', {})) === 202
      await until(isKnown, 'no deliveries are taken', { timeoutMs: 60_000, everyMs: 100 })
    },
    label: (by: User, iid: number, token = secret): Promise<number> => {
      const labels = [{ id: 7, title: 'agent' }]
      const payload = {
        ...{ object_kind: 'issue', event_type: 'issue', ...common(by), labels },
        object_attributes: { ...issueOf(iid), action: 'update', url: urlOf(iid) },
        changes: { labels: { previous: [], current: labels } },
      }
      return send('Issue Hook', payload, token)
    },
    close: (by: User, iid: number): Promise<number> =>
      send('Issue Hook', {
        ...{ object_kind: 'issue', event_type: 'issue', ...common(by), labels: [] },
        object_attributes: {
          ...{ ...issueOf(iid, { state: 'closed' }), action: 'close', url: urlOf(iid) },
        },
      }),
    comment: (by: User, iid: number, note: string, change: object = {}, issue: object = {}) => {
      count += 1
      return send('Note Hook', {
        ...{ object_kind: 'note', event_type: 'note', ...common(by) },
        issue: { ...issueOf(iid, issue), labels: [{ id: 7, title: 'agent' }] },
        object_attributes: {
          ...{ id: count, note, noteable_type: 'Issue', author_id: by.id, system: false },
          ...{ action: 'create', url: `${urlOf(iid)}#note_${count}`, ...change },
        },
      })
    },
    stop: async () => {
      await bed.stop()
      gitlab.close()
    },
  }
}

export function common(by: User) {
  return {
    user: { id: by.id, username: by.username },
    project: { id: 5, path_with_namespace: repository },
  }
}
