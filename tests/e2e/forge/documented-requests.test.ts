import { type Forge, type ForgeService, isForgeError, openForge } from '@agents/forge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureOpen } from '../../../services/jangar/src/server/agents-controller/pull-request/ensure-open.ts'
import { withOwnSection } from '../../../services/jangar/src/server/agents-controller/pull-request/own-section.ts'
import {
  bitbucketDescription,
  bitbucketPull,
} from '../../support/forge-api/bitbucket-description.ts'
import {
  type DescribedService,
  startDescribedService,
} from '../../support/forge-api/described-service.ts'
import type { Description } from '../../support/forge-api/github-description.ts'
import { gitlabDescription } from '../../support/forge-api/gitlab-description.ts'

const signal = new AbortController().signal
const uuid = '{504c3b62-8120-4f0c-a7bc-87800b9d6f70}'
const other = '{00000000-8120-4f0c-a7bc-87800b9d6f70}'

interface Place {
  readonly repository: string
  readonly head: string
  readonly reviewer: string
}

/** What each method of the interface sends, whatever the service is. */
const calls: Readonly<
  Record<Exclude<keyof Forge, 'service'>, (forge: Forge, place: Place) => Promise<unknown>>
> = {
  repository: (forge, { repository }) => forge.repository(repository, signal),
  pullRequestsFrom: (forge, { repository, head }) =>
    forge.pullRequestsFrom({ repository, head }, signal),
  openPullRequest: (forge, { repository, head }) => {
    const texts = { title: 'My Title', body: 'Why' }
    return forge.openPullRequest({ repository, head, base: 'main', ...texts, draft: true }, signal)
  },
  editPullRequest: (forge, { repository }) =>
    forge.editPullRequest(repository, 7, { body: 'Why' }, signal),
  pullRequest: (forge, { repository }) => forge.pullRequest(repository, 7, signal),
  verdicts: async (forge, { repository }) => {
    const pull = await forge.pullRequest(repository, 7, signal)
    return forge.verdicts(repository, pull, signal)
  },
  autoMerge: async (forge, { repository }) =>
    forge.autoMerge(repository, await forge.pullRequest(repository, 7, signal), signal),
  enableAutoMerge: async (forge, { repository }) =>
    forge.enableAutoMerge(repository, await forge.pullRequest(repository, 7, signal), signal),
  addLabels: (forge, { repository }) => forge.addLabels(repository, 7, ['bug'], signal),
  requestReviews: (forge, { repository, reviewer }) =>
    forge.requestReviews(repository, 7, [reviewer], signal),
  comments: (forge, { repository }) =>
    forge.comments({ repository, kind: 'pull-request', number: 7 }, signal),
  addComment: (forge, { repository }) =>
    forge.addComment({ repository, kind: 'pull-request', number: 7 }, 'hi', signal),
  editComment: (forge, { repository }) =>
    forge.editComment({ repository, kind: 'pull-request', number: 7 }, 3, 'hi', signal),
  setCommitStatus: (forge, { repository }) => {
    const status = { repository, commit: '8888888888', name: 'agents/issues', description: 'd' }
    return forge.setCommitStatus({ ...status, state: 'failure' }, signal)
  },
  issue: (forge, { repository }) => forge.issue(repository, 5, signal),
  issues: (forge, { repository }) =>
    forge.issues({ repository, state: 'open', labels: ['agent'], since: new Date(0) }, signal),
  permission: (forge, { repository }) =>
    forge.permission(repository, { name: 'admin', id: 1 }, signal),
  isTeamMember: (forge) => forge.isTeamMember('my-group/sub', { name: 'admin', id: 1 }, signal),
  self: (forge) => forge.self(signal),
}

const services: readonly {
  readonly service: ForgeService
  readonly description: Description
  readonly place: Place
  /** What is made of the documented answers. */
  readonly expected: Readonly<Record<keyof typeof calls, unknown>>
}[] = [
  {
    service: 'gitlab',
    description: gitlabDescription,
    place: { repository: 'my-group/my-project', head: 'test1', reviewer: 'admin' },
    expected: {
      repository: { defaultBranch: 'main' },
      pullRequestsFrom: [expect.objectContaining({ number: 7, state: 'open', head: 'test1' })],
      openPullRequest: expect.objectContaining({ number: 7, base: 'main' }),
      editPullRequest: expect.objectContaining({ number: 7 }),
      pullRequest: expect.objectContaining({ number: 7, commit: '8888888888' }),
      verdicts: { checks: 'passing', review: 'approved' },
      autoMerge: { state: 'possible' },
      enableAutoMerge: undefined,
      addLabels: undefined,
      requestReviews: undefined,
      comments: [{ id: 302, author: 'admin', body: 'closed' }],
      addComment: { id: 302, author: 'admin', body: 'closed' },
      editComment: { id: 302, author: 'admin', body: 'closed' },
      setCommitStatus: undefined,
      issue: expect.objectContaining({ number: 5, labels: ['agent'] }),
      issues: [expect.objectContaining({ number: 5 })],
      permission: 'write',
      isTeamMember: true,
      self: { name: 'admin', id: 1 },
    },
  },
  {
    service: 'bitbucket',
    description: bitbucketDescription,
    place: { repository: 'my-workspace/my-repository', head: 'my-feature-branch', reviewer: other },
    expected: {
      repository: { defaultBranch: 'main' },
      pullRequestsFrom: [expect.objectContaining({ number: 7, state: 'open', base: 'main' })],
      openPullRequest: expect.objectContaining({ number: 7, head: 'my-feature-branch' }),
      editPullRequest: expect.objectContaining({ number: 7 }),
      pullRequest: expect.objectContaining({ number: 7, commit: 'd3022fc0ca3d', body: 'Why' }),
      verdicts: { checks: 'passing', review: 'approved' },
      autoMerge: { state: 'unsupported', why: expect.stringContaining('Bitbucket') },
      enableAutoMerge: 'invalid',
      addLabels: 'invalid',
      requestReviews: undefined,
      comments: [{ id: 3, author: 'evzijst', body: 'Me too' }],
      addComment: { id: 3, author: 'evzijst', body: 'Me too' },
      editComment: { id: 3, author: 'evzijst', body: 'Me too' },
      setCommitStatus: undefined,
      issue: 'invalid',
      issues: 'invalid',
      permission: 'invalid',
      isTeamMember: 'invalid',
      self: 'invalid',
    },
  },
]

describe.each(services)('$service', ({ service, description, place, expected }) => {
  let stub: DescribedService
  beforeAll(async () => {
    stub = await startDescribedService(description, { accept: 'application/json' })
  })
  afterAll(() => stub?.close())

  const names = Object.keys(calls) as (keyof typeof calls)[]
  test.each(names)('%s sends what is documented', async (name) => {
    stub.violations.length = 0
    const forge = openForge(service, { baseUrl: stub.url, token: 't' })
    const found = await calls[name](forge, place).catch((error: unknown) => {
      if (!isForgeError(error)) throw error
      return error.problem
    })
    expect(stub.violations).toEqual([])
    expect(found).toEqual(expected[name])
  })

  test('every documented operation is used', () => {
    const documented = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ operationId }) => ({ path, operationId })),
    )
    const used = new Set(stub.operations)
    // Notes of issues have the form of those of merge requests.
    const unused = documented.filter(
      ({ operationId: one }) => !used.has(one) && !/issue note/.test(one),
    )
    expect(unused).toEqual([])
  })

  test('the stub notices what is not documented', async () => {
    stub.violations.length = 0
    const wrong = openForge(service, { baseUrl: `${stub.url}/v0`, token: 't' })
    await wrong.repository(place.repository, signal).catch(() => undefined)
    const status = { repository: place.repository, commit: 'c', name: 'n', state: 'odd' as never }
    const forge = openForge(service, { baseUrl: stub.url, token: 't' })
    await forge.setCommitStatus({ ...status, description: 'd' }, signal)
    expect(stub.violations).toEqual([
      expect.stringContaining('is not described'),
      expect.stringMatching(/status/i),
    ])
  })
})

describe('pull requests of Bitbucket', () => {
  let stub: DescribedService
  const repository = 'my-workspace/my-repository'
  beforeAll(async () => {
    stub = await startDescribedService(bitbucketDescription, { accept: 'application/json' })
  })
  afterAll(() => stub?.close())
  const forge = () => openForge('bitbucket', { baseUrl: stub.url, token: 't' })

  test('are opened once, found again and edited', async () => {
    const head = 'my-feature-branch'
    const texts = { title: 'My Title', body: 'First round' }
    const proposal = { ...texts, repository, head, base: undefined, uid: 'aa-1', draft: false }
    const wanted = { ...proposal, labels: [], reviewers: [] }
    stub.answer('listPullRequests', 200, { values: [] })
    stub.operations.length = 0
    stub.violations.length = 0
    expect((await ensureOpen(forge(), wanted, signal)).pull.number).toBe(7)
    expect(stub.operations).toEqual(['getARepository', 'listPullRequests', 'createAPullRequest'])

    const description = withOwnSection('', { uid: 'aa-1', text: 'First round' })
    stub.answer('listPullRequests', 200, { values: [{ ...bitbucketPull, description }] })
    stub.operations.length = 0
    await ensureOpen(forge(), { ...wanted, base: 'main', uid: 'aa-2', body: 'Second' }, signal)
    expect(stub.operations).toEqual(['listPullRequests', 'getAPullRequest', 'updateAPullRequest'])
    expect(stub.violations).toEqual([])
  })

  test('have no labels, which is said', async () => {
    const proposal = { repository, head: 'my-feature-branch', base: 'main', uid: 'aa-1' }
    const texts = { title: 'My Title', body: 'Why', draft: false }
    const wanted = { ...proposal, ...texts, labels: ['agents'], reviewers: [other] }
    const { lacks } = await ensureOpen(forge(), wanted, signal)
    expect(lacks).toEqual([expect.stringContaining('not supported for Bitbucket')])
  })

  test('of forks, and of branches with another name, are others', async () => {
    const { source } = bitbucketPull
    const fork = {
      ...bitbucketPull,
      id: 8,
      source: { ...source, repository: { full_name: 'x/y' } },
    }
    const deleted = { ...bitbucketPull, id: 9, source: { ...source, repository: null } }
    const elsewhere = { ...bitbucketPull, id: 10, source: { ...source, branch: { name: 'a' } } }
    const closed = { ...bitbucketPull, id: 11, state: 'DECLINED' }
    const values = [closed, fork, deleted, elsewhere, bitbucketPull]
    stub.answer('listPullRequests', 200, { values })
    const found = await forge().pullRequestsFrom({ repository, head: 'my-feature-branch' }, signal)
    expect(found.map(({ number, state }) => `${number} ${state}`)).toEqual(['7 open', '11 closed'])
  })

  test('are read page by page from the host that was asked', async () => {
    const next = 'https://elsewhere.test/2.0/repositories/x?page=2'
    stub.answer('listCommentsOnAPullRequest', 200, { values: [], next })
    stub.answer('listCommentsOnAPullRequest', 200, { values: [] })
    stub.operations.length = 0
    const subject = { repository, kind: 'pull-request', number: 7 } as const
    expect(await forge().comments(subject, signal)).toEqual([])
    expect(stub.operations).toEqual(['listCommentsOnAPullRequest', 'listCommentsOnAPullRequest'])
  })

  test.each([
    { state: 'MERGED', expected: 'merged' },
    { state: 'DECLINED', expected: 'closed' },
    { state: 'SUPERSEDED', expected: 'closed' },
  ])('that are $state are $expected', async ({ state, expected }) => {
    stub.answer('getAPullRequest', 200, { ...bitbucketPull, state })
    expect((await forge().pullRequest(repository, 7, signal)).state).toBe(expected)
  })

  test.each([
    { because: 'one check fails', states: ['SUCCESSFUL', 'FAILED'], checks: 'failing' },
    { because: 'one is in progress', states: ['SUCCESSFUL', 'INPROGRESS'], checks: 'pending' },
    { because: 'there are none', states: [], checks: undefined },
  ])('have the checks $checks when $because', async ({ states, checks }) => {
    const values = states.map((state) => ({ key: 'k', state }))
    stub.answer('listCommitStatusesForAPullRequest', 200, { values })
    const pull = await forge().pullRequest(repository, 7, signal)
    expect((await forge().verdicts(repository, pull, signal)).checks).toBe(checks)
  })

  test('for which changes are requested say so', async () => {
    const states = ['approved', 'changes_requested']
    const participants = states.map((state) => ({ user: { uuid }, state }))
    stub.answer('getAPullRequest', 200, { ...bitbucketPull, participants })
    const pull = { number: 7 } as never
    expect(await forge().verdicts(repository, pull, signal)).toMatchObject({
      review: 'changes-requested',
    })
  })

  test('are not given to reviewers by names, which users choose themselves', async () => {
    const asked = forge().requestReviews(repository, 7, ['evzijst'], signal)
    await expect(asked).rejects.toMatchObject({ problem: 'invalid' })
  })
})
