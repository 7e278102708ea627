import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ForgeService, PullRequest } from './forge.ts'
import { isForgeError } from './forge-error.ts'
import { openForge } from './open-forge.ts'

const signal = new AbortController().signal
const repository = 'o/r'
const pull: PullRequest = {
  ...{ number: 7, url: 'https://h/7', state: 'open', draft: false, title: 't', body: 'b' },
  ...{ head: 'agents/a', base: 'release/1', commit: 'c0ffee' },
}

/** A service with these answers; numbers are statuses. */
async function service(
  kind: ForgeService,
  answers: Readonly<Record<string, unknown>>,
  prefix = '',
) {
  const writes: { line: string; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://h')
    const line = `${request.method} ${pathname}`
    if (text !== '') writes.push({ line, body: JSON.parse(text) })
    const answer = searchParams.get('page') === '2' ? null : answers[line]
    if (typeof answer === 'number') response.writeHead(answer).end()
    else if (answer === undefined) response.writeHead(404).end('{}')
    else response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const forge = openForge(kind, { baseUrl: `http://127.0.0.1:${port}${prefix}`, token: 't' })
  return { forge, writes }
}

describe('Gitea', () => {
  const on = { type: 'pull_scheduled_merge', created_at: '2026-01-01T00:00:00Z' }
  const off = { type: 'pull_cancel_scheduled_merge', created_at: '2026-01-02T00:00:00Z' }
  const comment = { type: 'comment', created_at: '2026-01-03T00:00:00Z' }
  const open = {
    ...{ protected: false, enable_status_check: false, status_check_contexts: [] },
    ...{ required_approvals: 0, user_can_merge: true },
  }
  const checked = {
    ...{ ...open, protected: true, enable_status_check: true },
    status_check_contexts: ['ci/unit'],
  }
  const gitea = (branch: object, timeline: readonly object[] = [], version = '1.23.8') =>
    service('gitea', {
      'GET /version': { version },
      'GET /repos/o/r/branches/release%2F1': branch,
      'GET /repos/o/r/issues/7/timeline': timeline,
      'GET /repos/o/r': { default_branch: 'main', default_merge_style: 'squash' },
      'POST /repos/o/r/pulls/7/merge': 201,
    })

  test.each([
    { because: 'the branch is not protected', branch: open },
    { because: 'it is protected, but nothing is required', branch: { ...open, protected: true } },
    {
      because: 'checks are enabled, but none is named',
      branch: { ...checked, status_check_contexts: [] },
    },
    {
      because: 'checks are named, but not enabled',
      branch: { ...checked, enable_status_check: false },
    },
    {
      because: 'any status fulfils it',
      branch: { ...checked, status_check_contexts: ['*', '**'] },
    },
  ])('is not asked where nothing is required: $because', async ({ branch }) => {
    const { forge, writes } = await gitea(branch)
    expect(await forge.autoMerge(repository, pull, signal)).toMatchObject({
      ...{ state: 'not-allowed', why: expect.stringContaining('requires neither') },
    })
    expect(writes).toEqual([])
  })

  test.each([
    { because: 'a status', branch: checked },
    { because: 'an approval', branch: { ...open, protected: true, required_approvals: 1 } },
  ])('can be asked where $because is required', async ({ branch }) => {
    const { forge } = await gitea(branch)
    expect(await forge.autoMerge(repository, pull, signal)).toEqual({ state: 'possible' })
  })

  test.each([
    { timeline: [comment, on, comment], expected: { state: 'enabled' } },
    {
      timeline: [on, off, comment],
      expected: { state: 'possible', disabledAt: new Date(off.created_at) },
    },
    { timeline: [on, off, on], expected: { state: 'enabled' } },
  ])('shows by its history what is scheduled: $expected.state', async (row) => {
    const { forge } = await gitea(checked, row.timeline)
    expect(await forge.autoMerge(repository, pull, signal)).toEqual(row.expected)
  })

  test.each(['1.22.6', '11.0.1+gitea-1.22.0', 'development'])(
    'of version %s is not asked, since it may merge at once',
    async (version) => {
      const { forge } = await gitea(checked, [], version)
      expect((await forge.autoMerge(repository, pull, signal)).state).toBe('unsupported')
    },
  )

  test('is not asked by somebody who may not merge', async () => {
    const { forge } = await gitea({ ...checked, user_can_merge: false })
    expect((await forge.autoMerge(repository, pull, signal)).state).toBe('not-allowed')
  })

  test('gets the commit and its own style of merging, and never a forced merge', async () => {
    const { forge, writes } = await gitea(checked)
    await forge.enableAutoMerge(repository, pull, signal)
    const body = { Do: 'squash', merge_when_checks_succeed: true, head_commit_id: 'c0ffee' }
    expect(writes).toEqual([{ line: 'POST /repos/o/r/pulls/7/merge', body }])
  })
})

describe('GitLab', () => {
  const running = { id: 1, sha: 'c0ffee', source: 'push', status: 'running' }
  const at = '/projects/o%2Fr/merge_requests/7'
  const gitlab = (mergeRequest: object, isRequired = true) =>
    service('gitlab', {
      [`GET ${at}`]: mergeRequest,
      'GET /projects/o%2Fr': { only_allow_merge_if_pipeline_succeeds: isRequired },
      [`PUT ${at}/merge`]: {},
    })

  test.each([
    { because: 'there is no pipeline', head_pipeline: null },
    { because: 'it is that of another commit', head_pipeline: { ...running, sha: 'beef' } },
    { because: 'it was skipped', head_pipeline: { ...running, status: 'skipped' } },
    { because: 'it has failed', head_pipeline: { ...running, status: 'failed' } },
    {
      because: 'it consists of a status that the platform reported',
      head_pipeline: { ...running, source: 'external', status: 'success' },
    },
    { because: 'its source is not known', head_pipeline: { ...running, source: undefined } },
  ])('is not asked while it would merge at once: $because', async ({ head_pipeline }) => {
    const { forge, writes } = await gitlab({ head_pipeline })
    expect((await forge.autoMerge(repository, pull, signal)).state).toBe('waiting')
    expect(writes).toEqual([])
  })

  test('is not asked where pipelines are not required', async () => {
    const { forge } = await gitlab({ head_pipeline: running }, false)
    expect(await forge.autoMerge(repository, pull, signal)).toMatchObject({
      ...{ state: 'not-allowed', why: expect.stringContaining('does not require') },
    })
  })

  test('is asked by all names of the option, for the commit', async () => {
    const { forge, writes } = await gitlab({ head_pipeline: running })
    expect(await forge.autoMerge(repository, pull, signal)).toEqual({ state: 'possible' })
    await forge.enableAutoMerge(repository, pull, signal)
    const body = { auto_merge: true, merge_when_pipeline_succeeds: true, sha: 'c0ffee' }
    expect(writes).toEqual([{ line: `PUT ${at}/merge`, body }])
  })

  test('shows that it is on', async () => {
    const { forge } = await gitlab({ merge_when_pipeline_succeeds: true, head_pipeline: running })
    expect(await forge.autoMerge(repository, pull, signal)).toEqual({ state: 'enabled' })
  })
})

describe('GitHub', () => {
  const github = (change: object, answer: unknown = { data: {} }, prefix = '') =>
    service(
      'github',
      {
        [`GET ${prefix}/repos/o/r/pulls/7`]: {
          ...{ node_id: 'PR_7', auto_merge: null, head: { sha: 'c0ffee' }, ...change },
        },
        [`GET ${prefix}/repos/o/r`]: { allow_merge_commit: false, allow_squash_merge: true },
        [`POST ${prefix.replace('/v3', '')}/graphql`]: answer,
      },
      prefix,
    )

  test.each([
    { mergeable_state: 'clean', expected: 'not-allowed' },
    { mergeable_state: 'unstable', expected: 'not-allowed' },
    { mergeable_state: 'has_hooks', expected: 'not-allowed' },
    // It would be merged without any check as soon as the conflict is resolved.
    { mergeable_state: 'dirty', expected: 'waiting' },
    { mergeable_state: 'draft', expected: 'waiting' },
    { mergeable_state: 'unknown', expected: 'waiting' },
    { mergeable_state: 'constructor', expected: 'waiting' },
    { mergeable_state: 'blocked', expected: 'possible' },
  ])('with $mergeable_state is $expected', async ({ mergeable_state, expected }) => {
    const { forge, writes } = await github({ mergeable_state })
    expect((await forge.autoMerge(repository, pull, signal)).state).toBe(expected)
    expect(writes).toEqual([])
  })

  test('is not asked for other commits, and shows that it is on', async () => {
    const moved = await github({ mergeable_state: 'blocked', head: { sha: 'beef' } })
    expect((await moved.forge.autoMerge(repository, pull, signal)).state).toBe('waiting')
    const { forge } = await github({ mergeable_state: 'blocked', auto_merge: {} })
    expect(await forge.autoMerge(repository, pull, signal)).toEqual({ state: 'enabled' })
  })

  test.each([
    { server: 'GitHub', prefix: '', at: '/graphql' },
    { server: 'GitHub Enterprise Server', prefix: '/api/v3', at: '/api/graphql' },
  ])('is asked for the commit at $at of $server', async ({ prefix, at }) => {
    const { forge, writes } = await github({}, { data: {} }, prefix)
    await forge.enableAutoMerge(repository, pull, signal)
    const input = { pullRequestId: 'PR_7', expectedHeadOid: 'c0ffee', mergeMethod: 'SQUASH' }
    expect(writes).toMatchObject([{ line: `POST ${at}`, body: { variables: { input } } }])
  })

  test.each([
    {
      error: {
        type: 'UNPROCESSABLE',
        message: 'Auto merge is not allowed for this repository secret',
      },
      problem: 'invalid',
      why: 'settings of the repository',
    },
    {
      error: { type: 'UNPROCESSABLE', message: 'Pull request Pull request is in clean status' },
      problem: 'invalid',
      why: 'nothing to wait for',
    },
    {
      error: { type: 'FORBIDDEN', message: 'Resource not accessible by integration' },
      problem: 'forbidden',
      why: 'lacks a permission',
    },
    { error: { message: 'secret' }, problem: 'invalid', why: 'no reason is known' },
  ])('refuses, and its words are not shown: $why', async ({ error, problem, why }) => {
    const { forge } = await github({}, { data: null, errors: [error] })
    const refused = await forge.enableAutoMerge(repository, pull, signal).catch((e: unknown) => e)
    expect(isForgeError(refused) && refused.problem).toBe(problem)
    expect(String(refused)).toContain(why)
    expect(String(refused)).not.toContain('secret')
  })
})

test('Bitbucket cannot do it', async () => {
  const { forge, writes } = await service('bitbucket', {})
  expect((await forge.autoMerge(repository, pull, signal)).state).toBe('unsupported')
  await expect(forge.enableAutoMerge(repository, pull, signal)).rejects.toThrow('Bitbucket')
  expect(writes).toEqual([])
})
