import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { isForgeError, linearTracker } from '@agents/forge'
import type { LinearDocument } from '@linear/sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changedFilter, openFilter } from '../../../packages/forge/src/linear/linear-filter.ts'
import { documentProblems } from '../../support/forge-api/linear-document.ts'
import {
  type LinearService,
  type StubIssue,
  startLinearService,
} from '../../support/forge-api/linear-service.ts'

const signal = new AbortController().signal
const key = 'lin_api_test'
let linear: LinearService

beforeEach(async () => {
  linear = await startLinearService(key)
})
afterEach(() => linear.close())

function tracker(token = key) {
  return linearTracker({ baseUrl: linear.url, token, timeoutMs: 50_000 })
}

function issue(number: number, change: Partial<StubIssue> = {}): StubIssue {
  const at = new Date(Date.UTC(2026, 10, 17) + number * 1000).toISOString()
  return {
    ...{ identifier: `ENG-${number}`, previousIdentifiers: [], title: `Issue ${number}` },
    ...{ description: 'x', url: `https://linear.app/example/issue/ENG-${number}` },
    ...{ createdAt: at, updatedAt: at, archivedAt: null, trashed: null, project: null },
    ...{ team: { key: 'ENG' }, state: { type: 'unstarted' }, labels: { nodes: [] }, ...change },
  }
}

// The compiler checks what is sent against Linear's own types.
const filters: readonly LinearDocument.IssuesQueryVariables['filter'][] = [
  openFilter({ team: 'ENG', project: 'Parser', labels: ['agent', 'bug'] }),
  changedFilter(new Date(0)),
]

describe('queries of Linear', () => {
  test('are as its SDK describes them, page after page', async () => {
    expect(filters).toHaveLength(2)
    for (let number = 1; number <= 120; number++) linear.issues.push(issue(number))
    const { issues, isPart } = await tracker().openIssues({ team: 'eng' }, signal)
    expect(issues.map(({ identifier }) => identifier).toSorted()).toEqual(
      linear.issues.map(({ identifier }) => identifier).toSorted(),
    )
    expect(isPart).toBe(false)
    expect(linear.requests).toHaveLength(3)
    expect(linear.violations).toEqual([])
  })

  test('the stub notices what Linear does not have', () => {
    const wrong = `query issues($colour: Colour, $first: String) {
      issues(hue: $colour, first: $first) { nodes { identifier mood team title { x } } count }
    }`
    expect(documentProblems(wrong)).toEqual([
      ...['$colour of type Colour', '$first of type String'],
      ...['Query.issues(hue)', 'Query.issues(first)', 'Issue.mood', 'Issue.team', 'Issue.title'],
      'IssueConnection.count',
    ])
  })

  test('choose open issues of the team, the project and with all labels', async () => {
    const labels = { nodes: [{ name: 'Agent' }, { name: 'bug' }] }
    const fits = { labels, project: { name: 'Parser' } }
    linear.issues.push(
      ...[issue(1, fits), issue(2, { ...fits, labels: { nodes: [{ name: 'agent' }] } })],
      ...[issue(3, { ...fits, project: null }), issue(4, { ...fits, team: { key: 'OPS' } })],
      ...[issue(5, { ...fits, state: { type: 'completed' } })],
      ...[issue(6, { ...fits, archivedAt: '2026-11-17T08:00:00Z' })],
    )
    const query = { team: 'ENG', project: 'parser', labels: ['agent', 'BUG'] }
    const { issues } = await tracker().openIssues(query, signal)
    expect(issues).toEqual([
      {
        ...{ identifier: 'ENG-1', previousIdentifiers: [], team: 'ENG', project: 'Parser' },
        ...{ title: 'Issue 1', body: 'x', labels: ['Agent', 'bug'], state: 'open' },
        ...{ url: 'https://linear.app/example/issue/ENG-1', isArchived: false },
        updatedAt: issue(1).updatedAt,
      },
    ])
    expect(linear.violations).toEqual([])
  })

  test('for changes find what was closed, archived or moved to another team', async () => {
    linear.issues.push(
      ...[issue(1), issue(2, { state: { type: 'canceled' } }), issue(3, { trashed: true })],
      issue(4, { identifier: 'OPS-1', previousIdentifiers: ['ENG-4'], team: { key: 'OPS' } }),
    )
    const since = new Date(issue(2).updatedAt)
    const { issues } = await tracker().changedIssues(since, signal)
    const found = issues.map((one) => [one.identifier, one.state, one.isArchived])
    expect(found).toEqual([
      ['OPS-1', 'open', false],
      ['ENG-3', 'open', true],
      ['ENG-2', 'closed', false],
    ])
    expect(issues[0]?.previousIdentifiers).toEqual(['ENG-4'])
    expect(linear.violations).toEqual([])
  })

  test('have the key as Linear wants it, and the token of an app as OAuth does', async () => {
    await tracker().openIssues({}, signal)
    await tracker('lin_oauth_test')
      .openIssues({}, signal)
      .catch(() => undefined)
    const sent = linear.requests.map(({ headers }) => headers.authorization)
    expect(sent).toEqual([key, 'Bearer lin_oauth_test'])
  })
})

async function problemOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isForgeError(error)) throw new Error('not refused', { cause: error })
  return error
}

describe('a server that means harm', () => {
  const secret = 'internal-password'
  const hostile = (change: object) => ({ ...issue(1), ...change })
  const answer = (nodes: unknown, pageInfo: object = { hasNextPage: false, endCursor: null }) => ({
    data: { issues: { nodes, pageInfo } },
  })

  test('that never ends is asked for a limited number of pages', async () => {
    for (let page = 0; page < 30; page++) {
      linear.answer(200, answer([issue(page)], { hasNextPage: true, endCursor: 'same' }))
    }
    expect((await tracker().openIssues({}, signal)).isPart).toBe(true)
    expect(linear.requests).toHaveLength(20)
  })

  test.each([
    { because: 'more issues than asked for', body: answer(Array(51).fill(issue(1))) },
    { because: 'an identifier that is a path', body: answer([hostile({ identifier: '../x' })]) },
    { because: 'a URL that runs code', body: answer([hostile({ url: 'javascript:alert(1)' })]) },
    { because: 'a title that is an object', body: answer([hostile({ title: {} })]) },
    { because: 'no issues', body: { data: null } },
    { because: 'a list', body: [] },
    { because: 'no cursor', body: answer([], { hasNextPage: true, endCursor: null }) },
  ])('is not believed: $because', async ({ body }) => {
    linear.answer(200, body)
    expect((await problemOf(tracker().openIssues({}, signal))).problem).toBe('garbled')
  })

  test('cannot send more than there is room for', async () => {
    linear.answer(200, answer([hostile({ description: 'x'.repeat(9 * 1024 * 1024) })]))
    expect((await problemOf(tracker().openIssues({}, signal))).problem).toBe('garbled')
  })

  test('cannot send more than that in many pages either', async () => {
    const node = hostile({ description: 'x'.repeat(7 * 1024 * 1024) })
    const page = answer([node], { hasNextPage: true, endCursor: 'next' })
    for (let at = 0; at < 6; at++) linear.answer(200, page)
    const { problem, message } = await problemOf(tracker().openIssues({}, signal))
    expect(problem).toBe('garbled')
    expect(message).toContain('the list of the API is larger than')
    expect(linear.requests).toHaveLength(5)
  })

  test('cannot take long in many pages', async () => {
    const page = JSON.stringify(answer([issue(1)], { hasNextPage: true, endCursor: 'next' }))
    const slow = createServer(async (_request, response) => {
      await wait(50)
      response.end(page)
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    const patient = linearTracker({ baseUrl, token: key, timeoutMs: 50_000, listTimeoutMs: 200 })
    const { problem, message } = await problemOf(patient.openIssues({}, signal))
    slow.closeAllConnections()
    slow.close()
    expect([problem, message]).toEqual(['unreachable', 'the list takes longer than 0.2 s'])
  })

  test.each([
    { because: 'a refusal', status: 400, code: 'INVALID_INPUT', problem: 'invalid' },
    { because: 'a refusal with 200', status: 200, code: 'FORBIDDEN', problem: 'forbidden' },
    { because: 'a wrong key', status: 401, code: 'x', problem: 'unauthorized' },
    {
      because: 'a wrong key with 400',
      ...{ status: 400, code: 'AUTHENTICATION_ERROR', problem: 'unauthorized' },
    },
  ])('shows nothing of what it says: $because', async ({ status, code, problem }) => {
    linear.answer(status, { errors: [{ message: secret, extensions: { code } }] })
    const error = await problemOf(tracker().openIssues({}, signal))
    expect(error.problem).toBe(problem)
    expect(error.message).not.toContain(secret)
  })

  test('does not get the key of another host', async () => {
    const other = await startLinearService(key)
    linear.answer(307, {}, { location: `${other.url}/graphql` })
    await problemOf(tracker().openIssues({}, signal))
    expect(other.requests).toEqual([])
    other.close()
  })
})

describe('limits of Linear', () => {
  const limited = { errors: [{ message: 'x', extensions: { code: 'RATELIMITED' } }] }
  const inMs = (ms: number) => String(Date.now() + ms)

  test.each([
    {
      because: 'requests are used up',
      headers: () => ({
        ...{ 'x-ratelimit-requests-remaining': '0', 'x-ratelimit-requests-reset': inMs(90_000) },
        'x-ratelimit-complexity-remaining': '9',
        'x-ratelimit-complexity-reset': inMs(900_000),
      }),
      expected: 90_000,
    },
    {
      because: 'the query costs more than is left',
      headers: () => ({
        ...{ 'x-ratelimit-requests-remaining': '9', 'x-ratelimit-requests-reset': inMs(90_000) },
        'x-ratelimit-complexity-remaining': '9',
        'x-ratelimit-complexity-reset': inMs(600_000),
      }),
      expected: 600_000,
    },
    {
      because: 'the end is absurd',
      headers: () => ({
        ...{
          'x-ratelimit-requests-remaining': '0',
          'x-ratelimit-requests-reset': '999999999999999',
        },
      }),
      expected: 3_600_000,
    },
    { because: 'no end is given', headers: () => ({}), expected: 60_000 },
  ])('are obeyed: $because', async ({ headers, expected }) => {
    const before = Date.now()
    linear.answer(400, limited, headers())
    const error = await problemOf(tracker().openIssues({}, signal))
    expect(error.problem).toBe('rate-limited')
    // From a moment during the request, whose length does not matter.
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(expected - (Date.now() - before))
    expect(error.retryAfterMs).toBeLessThanOrEqual(expected)
    expect(linear.requests).toHaveLength(1)
  })

  test('a fault of the server is tried again: a query changes nothing', async () => {
    linear.issues.push(issue(1))
    linear.answer(502, {})
    expect((await tracker().openIssues({}, signal)).issues).toHaveLength(1)
    expect(linear.requests).toHaveLength(2)
  })
})
