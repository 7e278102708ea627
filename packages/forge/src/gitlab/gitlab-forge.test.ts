import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Forge } from '../forge.ts'
import { isForgeError } from '../forge-error.ts'
import { gitlabForge } from './gitlab-forge.ts'

const signal = new AbortController().signal
const repository = 'group/sub/project'

/** Shapes of the API's documentation, shortened to what is described there as always present. */
const mergeRequest = {
  ...{ id: 1, iid: 7, project_id: 3, title: 'test1', description: 'fixed login page css paddings' },
  ...{ state: 'opened', target_branch: 'main', source_branch: 'test1', source_project_id: 2 },
  ...{ target_project_id: 2, labels: ['Community contribution'], draft: false, sha: '8888888888' },
  ...{ web_url: 'http://gitlab.example.com/my-group/my-project/merge_requests/1' },
  ...{ detailed_merge_status: 'not_open', author: { id: 1, username: 'admin' } },
}
const note = { id: 302, body: 'closed', author: { id: 1, username: 'pipin' }, system: true }
const issue = {
  ...{ iid: 5, state: 'opened', title: 'Ut commodi', description: null, labels: ['foo', 'bar'] },
  ...{ author: { username: 'eileen.lowe' }, updated_at: '2016-01-04T15:31:46.176Z' },
  web_url: 'http://gitlab.example.com/my-group/my-project/issues/5',
}

interface Seen {
  readonly line: string
  readonly body: unknown
}

async function gitlab(
  answers: Readonly<Record<string, unknown>>,
): Promise<{ forge: Forge; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { pathname } = new URL(request.url ?? '', 'http://h')
    seen.push({ line: `${request.method} ${request.url}`, body: text && JSON.parse(text) })
    const answer = answers[`${request.method} ${pathname.replace('/api/v4', '')}`]
    if (answer === undefined) response.writeHead(404).end('{"message":"404 Not found"}')
    else if (answer instanceof Error) response.writeHead(400).end(answer.message)
    else if (typeof answer === 'number') response.writeHead(answer).end('{"message":["taken"]}')
    else response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const forge = gitlabForge({ baseUrl: `http://127.0.0.1:${port}/api/v4`, token: 't' })
  return { forge, seen }
}

const project = '/projects/group%2Fsub%2Fproject'

describe('merge requests', () => {
  test('are found by their branch; those of forks are others', async () => {
    const { forge, seen } = await gitlab({
      [`GET ${project}/merge_requests`]: [
        { ...mergeRequest, iid: 3, state: 'merged' },
        { ...mergeRequest, iid: 9, source_project_id: 99 },
        mergeRequest,
      ],
    })
    const found = await forge.pullRequestsFrom({ repository, head: 'test1' }, signal)
    expect(found.map(({ number, state }) => [number, state])).toEqual([
      [7, 'open'],
      [3, 'merged'],
    ])
    expect(found[0]).toMatchObject({ commit: '8888888888', base: 'main', head: 'test1' })
    expect(seen[0]?.line).toContain('source_branch=test1&state=all')
  })

  test('are opened, as a draft by the title', async () => {
    const { forge, seen } = await gitlab({ [`POST ${project}/merge_requests`]: mergeRequest })
    const wanted = { repository, head: 'b', base: 'main', title: 'T', body: 'B', draft: true }
    await forge.openPullRequest(wanted, signal)
    expect(seen[0]?.body).toEqual({
      ...{ source_branch: 'b', target_branch: 'main', title: 'Draft: T', description: 'B' },
    })
  })

  test('that exist are a conflict', async () => {
    const { forge } = await gitlab({ [`POST ${project}/merge_requests`]: 409 })
    const wanted = { repository, head: 'b', base: 'main', title: 'T', body: 'B', draft: false }
    const error = await forge.openPullRequest(wanted, signal).catch((reason: unknown) => reason)
    expect(isForgeError(error, 'conflict')).toBe(true)
  })

  test('are edited, labelled and given to reviewers', async () => {
    const at = `PUT ${project}/merge_requests/7`
    const { forge, seen } = await gitlab({ [at]: mergeRequest, 'GET /users': [{ id: 42 }] })
    await forge.editPullRequest(repository, 7, { body: 'B' }, signal)
    await forge.addLabels(repository, 7, ['a', 'b'], signal)
    await forge.requestReviews(repository, 7, ['stranger'], signal)
    const bodies = seen.filter(({ line }) => line.startsWith('PUT')).map(({ body }) => body)
    expect(bodies).toEqual([{ description: 'B' }, { add_labels: 'a,b' }, { reviewer_ids: [42] }])
  })

  test.each([
    { pipeline: null, status: 'mergeable', approved: [], checks: undefined, review: undefined },
    {
      ...{ pipeline: { status: 'running' }, status: 'mergeable', approved: [{ user: {} }] },
      ...{ checks: 'pending', review: 'approved' },
    },
    {
      ...{ pipeline: { status: 'failed' }, status: 'requested_changes', approved: [] },
      ...{ checks: 'failing', review: 'changes-requested' },
    },
    {
      ...{ pipeline: { status: 'success' }, status: 'mergeable', approved: [] },
      ...{ checks: 'passing', review: undefined },
    },
  ])('show $checks and $review', async ({ pipeline, status, approved, checks, review }) => {
    const found = { ...mergeRequest, head_pipeline: pipeline, detailed_merge_status: status }
    const { forge } = await gitlab({
      [`GET ${project}/merge_requests/7`]: found,
      [`GET ${project}/merge_requests/7/approvals`]: { approved: true, approved_by: approved },
    })
    const pull = await forge.pullRequest(repository, 7, signal)
    expect(await forge.verdicts(repository, pull, signal)).toEqual({ checks, review })
  })
})

test('a project has a default branch', async () => {
  const { forge } = await gitlab({ [`GET ${project}`]: { id: 3, default_branch: 'main' } })
  expect(await forge.repository(repository, signal)).toEqual({ defaultBranch: 'main' })
})

test.each([
  { kind: 'issue', place: 'issues' },
  { kind: 'pull-request', place: 'merge_requests' },
] as const)('comments of the subject $kind are notes', async ({ kind, place }) => {
  const at = `${project}/${place}/5/notes`
  const { forge } = await gitlab({
    [`GET ${at}`]: [note],
    [`POST ${at}`]: note,
    [`PUT ${at}/302`]: note,
  })
  const subject = { repository, kind, number: 5 }
  const expected = { id: 302, author: 'pipin', body: 'closed' }
  expect(await forge.comments(subject, signal)).toEqual([expected])
  expect(await forge.addComment(subject, 'x', signal)).toEqual(expected)
  expect(await forge.editComment(subject, 302, 'x', signal)).toEqual(expected)
})

test('the status of a commit has the words of GitLab', async () => {
  const { forge, seen } = await gitlab({ [`POST ${project}/statuses/abc`]: {} })
  const status = {
    repository,
    commit: 'abc',
    name: 'n',
    state: 'failure',
    description: 'd',
  } as const
  await forge.setCommitStatus(status, signal)
  expect(seen[0]?.body).toEqual({ name: 'n', state: 'failed', description: 'd' })
})

test.each([
  {
    because: 'a status that it has already is set',
    message: '{"message":"Cannot transition status via :enqueue from :pending (Reason(s): ...)"}',
    isSet: true,
  },
  { because: 'others are refused', message: '{"message":{"name":["is invalid"]}}', isSet: false },
])('the status of a commit: $because', async ({ message, isSet }) => {
  const { forge } = await gitlab({ [`POST ${project}/statuses/abc`]: new Error(message) })
  const status = {
    repository,
    commit: 'abc',
    name: 'n',
    state: 'pending',
    description: 'd',
  } as const
  const setting = forge.setCommitStatus(status, signal)
  if (isSet) await expect(setting).resolves.toBeUndefined()
  else await expect(setting).rejects.toMatchObject({ problem: 'invalid' })
})

test('issues are read', async () => {
  const { forge, seen } = await gitlab({
    [`GET ${project}/issues`]: [issue],
    [`GET ${project}/issues/5`]: issue,
  })
  const query = { repository, state: 'open', labels: ['foo'], since: new Date(0) } as const
  const expected = { number: 5, state: 'open', body: '', labels: ['foo', 'bar'] }
  expect(await forge.issues(query, signal)).toMatchObject([expected])
  expect(await forge.issue(repository, 5, signal)).toMatchObject(expected)
  expect(seen[0]?.line).toContain('state=opened&labels=foo&updated_after=1970-01-01T00')
})

test.each([
  { level: 50, expected: 'admin' },
  { level: 30, expected: 'write' },
  { level: 20, expected: 'read' },
])('access level $level is the permission $expected', async ({ level, expected }) => {
  const { forge } = await gitlab({
    'GET /users': [{ id: 4 }],
    [`GET ${project}/members/all/4`]: { id: 4, access_level: level },
  })
  expect(await forge.permission(repository, { name: 'x' }, signal)).toBe(expected)
})

test.each([
  { because: 'is blocked', change: { state: 'blocked' }, expected: 'none' },
  { because: 'has not agreed', change: { membership_state: 'awaiting' }, expected: 'none' },
  {
    because: 'is active',
    change: { state: 'active', membership_state: 'active' },
    expected: 'write',
  },
])('a member who $because has the permission $expected', async ({ change, expected }) => {
  const { forge } = await gitlab({
    'GET /users': [{ id: 4 }],
    [`GET ${project}/members/all/4`]: { id: 4, access_level: 30, ...change },
  })
  expect(await forge.permission(repository, { name: 'x' }, signal)).toBe(expected)
})

test('whoever has taken the name of a member has no permission', async () => {
  const { forge } = await gitlab({
    'GET /users': [{ id: 4 }],
    [`GET ${project}/members/all/4`]: { id: 4, access_level: 50 },
  })
  expect(await forge.permission(repository, { name: 'x', id: 4 }, signal)).toBe('admin')
  expect(await forge.permission(repository, { name: 'x', id: 5 }, signal)).toBe('none')
})

test('whoever is unknown or no member has no permission', async () => {
  const unknown = await gitlab({ 'GET /users': [] })
  expect(await unknown.forge.permission(repository, { name: 'x' }, signal)).toBe('none')
  const guest = await gitlab({ 'GET /users': [{ id: 4 }] })
  expect(await guest.forge.permission(repository, { name: 'x' }, signal)).toBe('none')
})

describe('a response that is not as described', () => {
  test.each([
    { because: 'a link that runs code', change: { web_url: 'javascript:alert(1)' } },
    { because: 'a link with a password', change: { web_url: 'https://u:p@h/x' } },
    { because: 'text instead of a number', change: { iid: '7' } },
    { because: 'a number beyond all', change: { iid: 1e300 } },
    { because: 'an unknown state', change: { state: 'constructor' } },
    { because: 'no title', change: { title: undefined } },
  ])('is refused: $because', async ({ change }) => {
    const found = { ...mergeRequest, ...change }
    const { forge } = await gitlab({ [`GET ${project}/merge_requests/7`]: found })
    const error = await forge.pullRequest(repository, 7, signal).catch((reason: unknown) => reason)
    expect(isForgeError(error, 'garbled')).toBe(true)
  })
})
