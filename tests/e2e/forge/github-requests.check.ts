import { env } from 'node:process'
import { isForgeError, openForge, type PullRequest } from '@agents/forge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type DescribedService,
  startDescribedService,
} from '../../support/forge-api/described-service.ts'
import { githubDescription } from '../../support/forge-api/github-description.ts'

const signal = new AbortController().signal
const repository = 'octocat/Hello-World'
let github: DescribedService

const text = { type: 'string' }
/** The input as GitHub documents it; the description of the REST API has no GraphQL. */
const autoMergeInput = {
  ...{ type: 'object', required: ['pullRequestId'], additionalProperties: false },
  properties: {
    ...{ pullRequestId: text, expectedHeadOid: text, clientMutationId: text, authorEmail: text },
    ...{ commitBody: text, commitHeadline: text },
    mergeMethod: { enum: ['MERGE', 'REBASE', 'SQUASH'] },
  },
}
const enabling = {
  operationId: 'graphql',
  requestBody: {
    content: {
      'application/json': {
        schema: {
          ...{ type: 'object', required: ['query', 'variables'], additionalProperties: false },
          properties: {
            query: {
              type: 'string',
              pattern:
                '^mutation enable\\(\\$input: EnablePullRequestAutoMergeInput!\\) \\{\\s+enablePullRequestAutoMerge\\(input: \\$input\\) \\{\\s+pullRequest \\{ number \\}\\s+\\}\\s+\\}$',
            },
            variables: {
              ...{ type: 'object', required: ['input'], additionalProperties: false },
              properties: { input: autoMergeInput },
            },
          },
        },
      },
    },
  },
  responses: {
    200: {
      content: {
        'application/json': {
          examples: {
            done: {
              value: { data: { enablePullRequestAutoMerge: { pullRequest: { number: 1347 } } } },
            },
          },
        },
      },
    },
  },
}

beforeAll(async () => {
  const { paths, components } = await githubDescription(env)
  const described = { paths: { ...paths, '/graphql': { post: enabling } }, components }
  github = await startDescribedService(described, {
    ...{ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  })
})
afterAll(() => github?.close())

function forge() {
  return openForge('github', { baseUrl: github.url, token: 'ghs_test' })
}

const pull: PullRequest = {
  ...{ number: 1347, url: 'https://github.com/octocat/Hello-World/pull/1347', state: 'open' },
  ...{ draft: false, title: 't', body: 'b', head: 'new-topic', base: 'main' },
  commit: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
}

/** Each method, the operations of GitHub that it uses, and what it makes of GitHub's own examples. */
const rows: {
  method: string
  call: () => Promise<unknown>
  operations: string[]
  expected: unknown
}[] = [
  {
    method: 'repository',
    call: () => forge().repository(repository, signal),
    operations: ['repos/get'],
    expected: { defaultBranch: 'master' },
  },
  {
    method: 'pullRequestsFrom',
    call: () => forge().pullRequestsFrom({ repository, head: 'new-topic' }, signal),
    operations: ['pulls/list'],
    expected: [expect.objectContaining({ number: 1347, state: 'merged', head: 'new-topic' })],
  },
  {
    method: 'openPullRequest',
    call: () => {
      const { head, base, title, body } = pull
      const wanted = { repository, head, base, title, body, draft: true }
      return forge().openPullRequest(wanted, signal)
    },
    operations: ['pulls/create'],
    expected: expect.objectContaining({ number: 1347, base: 'master' }),
  },
  {
    method: 'editPullRequest',
    call: () => forge().editPullRequest(repository, 1347, { title: 'x', body: 'y' }, signal),
    operations: ['pulls/update'],
    expected: expect.objectContaining({ number: 1347 }),
  },
  {
    method: 'pullRequest',
    call: () => forge().pullRequest(repository, 1347, signal),
    operations: ['pulls/get'],
    expected: expect.objectContaining({ commit: pull.commit, title: 'Amazing new feature' }),
  },
  {
    method: 'verdicts',
    call: () => forge().verdicts(repository, pull, signal),
    operations: ['checks/list-for-ref', 'pulls/list-reviews', 'repos/get-combined-status-for-ref'],
    expected: { checks: 'passing', review: 'approved' },
  },
  {
    method: 'autoMerge',
    call: () => forge().autoMerge(repository, pull, signal),
    operations: ['pulls/get'],
    // The one of the example is clean.
    expected: expect.objectContaining({ state: 'not-allowed' }),
  },
  {
    method: 'enableAutoMerge',
    call: () => forge().enableAutoMerge(repository, pull, signal),
    operations: ['graphql', 'pulls/get', 'repos/get'],
    expected: undefined,
  },
  {
    method: 'addLabels',
    call: () => forge().addLabels(repository, 1347, ['bug'], signal),
    operations: ['issues/add-labels'],
    expected: undefined,
  },
  {
    method: 'requestReviews',
    call: () => forge().requestReviews(repository, 1347, ['hubot', 'octo-org/justice'], signal),
    operations: ['pulls/request-reviewers'],
    expected: undefined,
  },
  {
    method: 'comments',
    call: () => forge().comments({ repository, kind: 'issue', number: 1347 }, signal),
    operations: ['issues/list-comments'],
    expected: [{ id: 1, author: 'octocat', body: 'Me too' }],
  },
  {
    method: 'addComment',
    call: () => forge().addComment({ repository, kind: 'issue', number: 1347 }, 'hi', signal),
    operations: ['issues/create-comment'],
    expected: { id: 1, author: 'octocat', body: 'Me too' },
  },
  {
    method: 'editComment',
    call: () => forge().editComment({ repository, kind: 'issue', number: 1347 }, 1, 'hi', signal),
    operations: ['issues/update-comment'],
    expected: { id: 1, author: 'octocat', body: 'Me too' },
  },
  {
    method: 'setCommitStatus',
    call: () => {
      const { commit } = pull
      const status = {
        repository,
        commit,
        name: 'agents',
        state: 'success',
        description: 'd',
      } as const
      return forge().setCommitStatus({ ...status, url: 'https://example.com/1' }, signal)
    },
    operations: ['repos/create-commit-status'],
    expected: undefined,
  },
  {
    method: 'issue',
    call: () => forge().issue(repository, 1347, signal),
    operations: ['issues/get'],
    expected: expect.objectContaining({ number: 1347, labels: ['bug'], author: 'octocat' }),
  },
  {
    method: 'issues',
    call: () => {
      const query = { repository, state: 'all', labels: ['bug'], since: new Date(0) } as const
      return forge().issues(query, signal)
    },
    operations: ['issues/list-for-repo'],
    // The only one of the example is a pull request.
    expected: [],
  },
  {
    method: 'permission',
    call: () => forge().permission(repository, { name: 'monalisa', id: 1 }, signal),
    operations: ['repos/get-collaborator-permission-level'],
    expected: 'admin',
  },
  {
    method: 'isTeamMember',
    call: () => forge().isTeamMember('octo-org/justice-league', { name: 'octocat' }, signal),
    operations: ['teams/get-membership-for-user-in-org'],
    expected: true,
  },
  {
    method: 'self',
    call: () => forge().self(signal),
    operations: ['users/get-authenticated'],
    expected: { name: 'octocat', id: 1 },
  },
]

describe('requests to GitHub are as GitHub describes them', () => {
  test.each(rows)('$method', async ({ call, operations, expected }) => {
    github.operations.length = 0
    expect(await call()).toEqual(expected)
    expect(github.violations).toEqual([])
    expect(github.operations.toSorted()).toEqual(operations)
  })

  test('every method of the interface is among them', () => {
    const methods = Object.keys(forge()).filter((name) => name !== 'service')
    expect(rows.map(({ method }) => method).toSorted()).toEqual(methods.toSorted())
  })

  test('the stub notices what GitHub does not describe', async () => {
    const wrong = await fetch(`${github.url}/repos/o/r/pulls?colour=red&state=odd`, {
      method: 'POST',
      body: JSON.stringify({ title: { x: 1 }, hue: 1 }),
    })
    await wrong.text()
    const noticed = github.violations.splice(0).join('\n')
    for (const what of ['colour', 'hue', 'title', 'no token', 'accept is not']) {
      expect(noticed).toContain(what)
    }
  })
})

describe('refusals of GitHub', () => {
  test('an existing pull request is a conflict', async () => {
    const message = 'A pull request already exists for octocat:new-topic.'
    const errors = [{ resource: 'PullRequest', code: 'custom', message }]
    github.answer('pulls/create', 422, { message: 'Validation Failed', errors })
    const { head, base, title, body } = pull
    const opened = forge().openPullRequest(
      { repository, head, base, title, body, draft: false },
      signal,
    )
    const problem = await opened.catch((error: unknown) => isForgeError(error, 'conflict'))
    expect(problem).toBe(true)
  })

  test('checks that the token may not read are unknown, not a failure', async () => {
    github.answer('checks/list-for-ref', 403, { message: 'Resource not accessible' })
    github.answer('repos/get-combined-status-for-ref', 403, { message: 'Resource not accessible' })
    const found = await forge().verdicts(repository, pull, signal)
    expect(found).toEqual({ checks: undefined, review: 'approved' })
  })

  test('an app is no user', async () => {
    github.answer('users/get-authenticated', 403, { message: 'Resource not accessible' })
    expect(await forge().self(signal)).toBeUndefined()
  })

  test('an unknown user has no permission', async () => {
    github.answer('repos/get-collaborator-permission-level', 404, { message: 'Not Found' })
    expect(await forge().permission(repository, { name: 'nobody' }, signal)).toBe('none')
  })

  test.each([
    { because: 'an unknown user', status: 404, body: { message: 'Not Found' } },
    { because: 'an invitation', status: 200, body: { state: 'pending', role: 'member', url: 'x' } },
  ])('$because is not a member of a team', async ({ status, body }) => {
    github.answer('teams/get-membership-for-user-in-org', status, body)
    const user = { name: 'nobody' }
    expect(await forge().isTeamMember('octo-org/justice-league', user, signal)).toBe(false)
  })

  test.each([
    { because: 'the token may not read them', status: 403, body: { message: 'no' } },
    { because: 'the answer is not as described', status: 200, body: { member: true } },
  ])('teams that cannot be read are an error: $because', async ({ status, body }) => {
    github.answer('teams/get-membership-for-user-in-org', status, body)
    const asked = forge().isTeamMember('octo-org/justice-league', { name: 'octocat' }, signal)
    expect(await asked.catch((error: unknown) => isForgeError(error))).toBe(true)
  })

  test.each(['octo-org', 'octo-org/', '/team', 'octo-org/a/b', 'octo-org/..'])(
    'a name that is not that of a team is not asked for: %s',
    async (team) => {
      github.operations.length = 0
      const asked = forge().isTeamMember(team, { name: 'octocat' }, signal)
      expect(await asked.catch((error: unknown) => isForgeError(error, 'invalid'))).toBe(true)
      expect(github.operations).toEqual([])
    },
  )
})
