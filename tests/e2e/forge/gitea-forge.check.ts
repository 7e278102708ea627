import { type Forge, isForgeError, openForge, ResponseMemory } from '@agents/forge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Gitea } from '../../support/gitea/gitea-server.ts'
import { type ForgePlatform, openForgePlatform } from './services/forge-platform.ts'

const signal = new AbortController().signal
const repository = 'owner/work'
let platform: ForgePlatform
let gitea: Gitea
let owner: string
let reviewer: string
let forge: Forge

beforeAll(async () => {
  platform = await openForgePlatform('gitea-forge')
  gitea = await platform.gitea()
  owner = await gitea.user('owner', { admin: true })
  reviewer = await gitea.user('reviewer')
  await gitea.user('stranger')
  const repo = { name: 'work', auto_init: true, default_branch: 'main', private: true }
  await gitea.api(owner, 'POST', '/user/repos', repo)
  const access = { permission: 'write' }
  await gitea.api(owner, 'PUT', `/repos/${repository}/collaborators/reviewer`, access)
  forge = openForge('gitea', {
    ...{ baseUrl: `${gitea.url}/api/v1`, token: owner },
    memory: new ResponseMemory(),
  })
})
afterAll(() => platform?.stop())

/** A branch with a commit of its own. */
async function branch(name: string, token = owner, into = repository): Promise<void> {
  await gitea.api(token, 'POST', `/repos/${into}/contents/${name.replaceAll('/', '-')}.txt`, {
    content: Buffer.from(name).toString('base64'),
    branch: 'main',
    new_branch: name,
    message: `Add ${name}`,
  })
}

function wanted(head: string, draft = false) {
  return { repository, head, base: 'main', title: `Work on ${head}`, body: 'The body.', draft }
}

async function problemOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (isForgeError(error) ? error.problem : String(error)),
  )
}

describe('a repository', () => {
  test('has a default branch', async () => {
    expect(await forge.repository(repository, signal)).toEqual({ defaultBranch: 'main' })
  })

  test('that does not exist, or is hidden, is missing', async () => {
    expect(await problemOf(forge.repository('owner/nothing', signal))).toBe('missing')
    const token = await gitea.user('blind')
    const blind = openForge('gitea', { baseUrl: `${gitea.url}/api/v1`, token })
    expect(await problemOf(blind.repository(repository, signal))).toBe('missing')
  })

  test('is closed to a wrong token', async () => {
    const wrong = openForge('gitea', { baseUrl: `${gitea.url}/api/v1`, token: 'f'.repeat(40) })
    expect(await problemOf(wrong.repository(repository, signal))).toBe('unauthorized')
  })
})

describe('a pull request', () => {
  test('is opened once, found by its branch, edited and closed', async () => {
    const head = 'agents/one'
    await branch(head)
    expect(await forge.pullRequestsFrom({ repository, head }, signal)).toEqual([])
    const opened = await forge.openPullRequest(wanted(head), signal)
    expect(opened).toMatchObject({
      ...{ state: 'open', draft: false, title: `Work on ${head}`, body: 'The body.' },
      ...{ head, base: 'main', commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
      url: `${gitea.url}/${repository}/pulls/${opened.number}`,
    })
    expect(await problemOf(forge.openPullRequest(wanted(head), signal))).toBe('conflict')
    expect(await forge.pullRequestsFrom({ repository, head }, signal)).toEqual([opened])
    const edited = await forge.editPullRequest(repository, opened.number, { body: 'New.' }, signal)
    expect(edited).toMatchObject({ title: opened.title, body: 'New.' })
    const close = { state: 'closed' }
    await gitea.api(owner, 'PATCH', `/repos/${repository}/pulls/${opened.number}`, close)
    const closed = await forge.pullRequest(repository, opened.number, signal)
    expect(closed.state).toBe('closed')
    const again = await forge.openPullRequest(wanted(head), signal)
    const both = await forge.pullRequestsFrom({ repository, head }, signal)
    expect(both.map((one) => one.number)).toEqual([again.number, opened.number])
  })

  test('can be a draft', async () => {
    await branch('draft')
    const opened = await forge.openPullRequest(wanted('draft', true), signal)
    expect(opened.draft).toBe(true)
  })

  test('is merged', async () => {
    await branch('merged')
    const { number } = await forge.openPullRequest(wanted('merged'), signal)
    await merge(number)
    expect(await forge.pullRequest(repository, number, signal)).toMatchObject({ state: 'merged' })
    const [found] = await forge.pullRequestsFrom({ repository, head: 'merged' }, signal)
    expect(found).toMatchObject({ number, state: 'merged' })
  })

  test('of a fork with the same name of a branch is another one', async () => {
    await gitea.api(reviewer, 'POST', `/repos/${repository}/forks`, {})
    await branch('twin', reviewer, 'reviewer/work')
    const foreign = { head: 'reviewer:twin', base: 'main', title: 'Foreign' }
    await gitea.api(reviewer, 'POST', `/repos/${repository}/pulls`, foreign)
    expect(await forge.pullRequestsFrom({ repository, head: 'twin' }, signal)).toEqual([])
  })

  test.each([
    { because: 'no changes', change: { head: 'main' } },
    { because: 'no such branch', change: { head: 'nowhere' } },
    { because: 'no such base', change: { base: 'nowhere' } },
  ])('is refused: $because', async ({ change }) => {
    const asked = forge.openPullRequest({ ...wanted('agents/one'), ...change }, signal)
    expect(['invalid', 'missing']).toContain(await problemOf(asked))
  })

  test('has labels and reviewers', async () => {
    await branch('reviewed')
    const { number } = await forge.openPullRequest(wanted('reviewed'), signal)
    const label = { name: 'agents', color: '#00aabb' }
    await gitea.api(owner, 'POST', `/repos/${repository}/labels`, label)
    await forge.addLabels(repository, number, ['agents'], signal)
    await forge.requestReviews(repository, number, ['reviewer'], signal)
    const found = await gitea.api<{ labels: unknown; requested_reviewers: unknown }>(
      ...([owner, 'GET', `/repos/${repository}/pulls/${number}`] as const),
    )
    expect(found.labels).toMatchObject([{ name: 'agents' }])
    expect(found.requested_reviewers).toMatchObject([{ login: 'reviewer' }])
  })

  test('shows what tests and reviewers say', async () => {
    await branch('judged')
    const pull = await forge.openPullRequest(wanted('judged'), signal)
    const verdicts = () => forge.verdicts(repository, pull, signal)
    expect(await verdicts()).toEqual({ checks: undefined, review: undefined })
    const status = { repository, commit: pull.commit, description: 'd' }
    await forge.setCommitStatus({ ...status, name: 'unit', state: 'pending' }, signal)
    expect(await verdicts()).toEqual({ checks: 'pending', review: undefined })
    await forge.setCommitStatus({ ...status, name: 'unit', state: 'success' }, signal)
    await review(pull.number, 'REQUEST_CHANGES')
    expect(await verdicts()).toEqual({ checks: 'passing', review: 'changes-requested' })
    const url = `${gitea.url}/run/1`
    await forge.setCommitStatus({ ...status, name: 'lint', state: 'failure', url }, signal)
    await review(pull.number, 'APPROVED')
    expect(await verdicts()).toEqual({ checks: 'failing', review: 'approved' })
  })
})

describe('issues', () => {
  test('are listed without pull requests, by label and time of change', async () => {
    const bug = await gitea.api<{ id: number }>(owner, 'POST', `/repos/${repository}/labels`, {
      name: 'bug',
      color: '#ff0000',
    })
    const create = (title: string, labels: number[]) =>
      gitea.api<{ number: number }>(owner, 'POST', `/repos/${repository}/issues`, {
        title,
        labels,
        body: `About ${title}`,
      })
    const first = await create('first', [bug.id])
    const second = await create('second', [])
    const close = { state: 'closed' }
    await gitea.api(owner, 'PATCH', `/repos/${repository}/issues/${second.number}`, close)
    const all = await forge.issues({ repository, state: 'all' }, signal)
    const titles = all.map((issue) => issue.title)
    expect(titles.toSorted()).toEqual(['first', 'second'])
    const open = await forge.issues({ repository, state: 'open', labels: ['bug'] }, signal)
    expect(open).toMatchObject([
      {
        ...{ number: first.number, title: 'first', body: 'About first', labels: ['bug'] },
        ...{
          state: 'open',
          author: 'owner',
          url: `${gitea.url}/${repository}/issues/${first.number}`,
        },
      },
    ])
    const since = new Date(Date.now() + 3_600_000)
    expect(await forge.issues({ repository, state: 'all', since }, signal)).toEqual([])
    const one = await forge.issue(repository, second.number, signal)
    expect(one).toMatchObject({ title: 'second', state: 'closed' })
  })

  test('have comments', async () => {
    const { number } = await gitea.api<{ number: number }>(
      ...([owner, 'POST', `/repos/${repository}/issues`, { title: 'talk' }] as const),
    )
    const subject = { repository, kind: 'issue', number } as const
    const added = await forge.addComment(subject, 'one', signal)
    await forge.editComment(subject, added.id, 'two', signal)
    const listed = await forge.comments(subject, signal)
    expect(listed).toEqual([{ id: added.id, author: 'owner', body: 'two' }])
  })
})

describe('permission', () => {
  test.each([
    { user: 'owner', expected: 'admin' },
    { user: 'reviewer', expected: 'write' },
    { user: 'stranger', expected: 'none' },
    { user: 'nobody-at-all', expected: 'none' },
  ])('of $user is $expected', async ({ user, expected }) => {
    expect(await forge.permission(repository, { name: user }, signal)).toBe(expected)
  })
})

test('whoever has taken the name of a collaborator has no permission', async () => {
  const { id } = await gitea.api<{ id: number }>(owner, 'GET', '/users/owner')
  expect(await forge.permission(repository, { name: 'owner', id }, signal)).toBe('admin')
  expect(await forge.permission(repository, { name: 'owner', id: id + 1 }, signal)).toBe('none')
})

describe('a team', () => {
  beforeAll(async () => {
    await gitea.api(owner, 'POST', '/orgs', { username: 'makers' })
    const team = { name: 'Agents', permission: 'read', units: ['repo.code'] }
    const { id } = await gitea.api<{ id: number }>(owner, 'POST', '/orgs/makers/teams', team)
    await gitea.api(owner, 'PUT', `/teams/${id}/members/reviewer`)
  })

  test.each([
    { because: 'a member', team: 'makers/agents', user: 'reviewer', expected: true },
    { because: 'a stranger', team: 'makers/agents', user: 'stranger', expected: false },
    { because: 'nobody', team: 'makers/agents', user: 'nobody-at-all', expected: false },
    { because: 'another team', team: 'makers/Owners', user: 'reviewer', expected: false },
    { because: 'no such team', team: 'makers/none', user: 'reviewer', expected: false },
    { because: 'no such organization', team: 'none/agents', user: 'reviewer', expected: false },
  ])('has its members: $because', async ({ team, user, expected }) => {
    expect(await forge.isTeamMember(team, { name: user }, signal)).toBe(expected)
  })

  test('does not have whoever has taken the name of a member', async () => {
    const { id } = await gitea.api<{ id: number }>(owner, 'GET', '/users/reviewer')
    const of = (user: number) =>
      forge.isTeamMember('makers/agents', { name: 'reviewer', id: user }, signal)
    expect(await of(id)).toBe(true)
    expect(await of(id + 1)).toBe(false)
  })

  test('cannot be read with a token that may not', async () => {
    const token = await gitea.user('narrow', { scopes: 'read:issue,read:repository' })
    const narrow = openForge('gitea', { baseUrl: `${gitea.url}/api/v1`, token })
    const asked = narrow.isTeamMember('makers/agents', { name: 'reviewer' }, signal)
    expect(await problemOf(asked)).toBe('forbidden')
  })
})

test('while it is down, it is unreachable', async () => {
  await gitea.kill()
  expect(await problemOf(forge.repository(repository, signal))).toBe('unreachable')
  await gitea.start()
  expect(await forge.repository(repository, signal)).toEqual({ defaultBranch: 'main' })
})

async function merge(number: number): Promise<void> {
  // Gitea examines a new pull request in the background, and refuses to merge it before.
  await expect
    .poll(
      () =>
        gitea
          .api(owner, 'POST', `/repos/${repository}/pulls/${number}/merge`, { Do: 'merge' })
          .then(() => 'merged', String),
      { timeout: 60_000, interval: 300 },
    )
    .toBe('merged')
}

async function review(number: number, event: string): Promise<void> {
  const body = { event, body: 'I say so.' }
  await gitea.api(reviewer, 'POST', `/repos/${repository}/pulls/${number}/reviews`, body)
}
