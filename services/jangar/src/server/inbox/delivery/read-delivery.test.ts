import examples from '@octokit/webhooks-examples' with { type: 'json' }
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDelivery } from './read-delivery.ts'
import { webhookProviders } from './signature.ts'

interface Definition {
  readonly name: string
  readonly examples: readonly object[]
}

/** Some events of issues are about pull requests. */
function isOfIssue(name: string, payload: object): boolean {
  const { issue } = payload as { readonly issue?: { readonly pull_request?: object } }
  return name === 'issues' && issue?.pull_request === undefined
}

const payloads = (examples as unknown as readonly Definition[]).flatMap(({ name, examples: all }) =>
  all.map((payload, at) => ({ name, at, payload })),
)

describe("GitHub's own examples", () => {
  test('are issues that can be read, or ignored', () => {
    expect(payloads.length).toBeGreaterThan(300)
    expect(payloads.filter(({ name, payload }) => isOfIssue(name, payload)).length).toBeGreaterThan(
      10,
    )
    for (const { name, payload } of payloads) {
      const expected = isOfIssue(name, payload) ? 'issue' : 'ignored'
      expect(readDelivery('github', name, payload).kind, name).toBe(expected)
    }
  })

  test('of deleted and transferred issues say so', () => {
    for (const { name, payload } of payloads) {
      if (!isOfIssue(name, payload)) continue
      const { action } = payload as { readonly action?: string }
      const isGone = action === 'deleted' || action === 'transferred'
      expect(readDelivery('github', name, payload)).toMatchObject({ isGone })
    }
  })
})

const labels = [{ title: 'agent' }]

test.each([
  {
    because: 'GitLab, with the time in its old form',
    provider: 'gitlab',
    event: 'Issue Hook',
    payload: {
      object_kind: 'issue',
      project: { path_with_namespace: 'group/sub/app' },
      labels,
      object_attributes: {
        ...{ iid: 23, title: 'New API', description: 'Create it.', state: 'closed' },
        ...{ url: 'https://gitlab.test/i/23', updated_at: '2026-11-17 08:00:00 UTC' },
      },
    },
    issue: {
      ...{ externalId: 'group/sub/app#23', title: 'New API', body: 'Create it.', state: 'closed' },
      ...{ labels: ['agent'], version: '2026-11-17T08:00:00Z' },
    },
  },
  {
    because: 'Linear, with labels in a list',
    provider: 'linear',
    event: 'Issue',
    payload: {
      ...{ action: 'update', type: 'Issue' },
      data: {
        ...{ identifier: 'ENG-7', title: 'Fix', description: 'Soon.', team: { key: 'ENG' } },
        ...{ labels: [{ name: 'agent' }], state: { type: 'completed' } },
        ...{ url: 'https://linear.test/ENG-7', updatedAt: '2026-11-17T08:00:00.500Z' },
      },
    },
    issue: {
      ...{ externalId: 'ENG-7', team: 'ENG', labels: ['agent'], state: 'closed' },
      version: '2026-11-17T08:00:00Z',
    },
  },
] as const)('$because', ({ provider, event, payload, issue }) => {
  expect(readDelivery(provider, event, payload)).toMatchObject({ kind: 'issue', issue })
})

const [one, two] = [
  { id: 205, title: 'Platform' },
  { id: 206, title: 'agent' },
]

test.each([
  {
    because: 'added beside another',
    ...{ action: 'update', now: [one, two], changes: { previous: [one], current: [one, two] } },
    expected: { actor: 'maintainer', actorId: 1, added: ['agent'] },
  },
  {
    because: 'set when the issue is opened',
    ...{ action: 'open', now: [one, two], changes: undefined },
    expected: { actor: 'maintainer', actorId: 1, added: ['Platform', 'agent'] },
  },
  {
    because: 'removed',
    ...{ action: 'update', now: [one], changes: { previous: [one, two], current: [one] } },
    expected: undefined,
  },
  {
    because: 'there while something else changes',
    ...{ action: 'update', now: [one, two], changes: undefined, expected: undefined },
  },
  {
    because: 'there when the issue is opened again',
    ...{ action: 'reopen', now: [one, two], changes: undefined, expected: undefined },
  },
])('labels of GitLab that are $because', ({ action, now, changes, expected }) => {
  const read = readDelivery('gitlab', 'Issue Hook', {
    ...{ object_kind: 'issue', event_type: 'issue', user: { id: 1, username: 'maintainer' } },
    ...{ project: { path_with_namespace: 'group/app' }, labels: now },
    object_attributes: {
      ...{ id: 301, iid: 23, title: 'New API', description: 'Create it.', state: 'opened', action },
      ...{ url: 'https://gitlab.test/i/23', updated_at: '2026-11-17 08:00:00 UTC' },
    },
    changes: { updated_at: { previous: 'a', current: 'b' }, ...(changes && { labels: changes }) },
  })
  expect(read).toMatchObject({ kind: 'issue' })
  expect(read.kind === 'issue' && read.labelled).toEqual(expected)
})

test('whatever is signed can be read, ignored or refused, and crashes nothing', () => {
  const events = ['issues', 'Issue Hook', 'Note Hook', 'Issue', '__proto__', 'constructor', '']
  const members = ['issue', 'repository', 'object_attributes', 'project', 'data', 'type', 'action']
  const payload = fc.dictionary(fc.constantFrom(...members), fc.jsonValue())
  fc.assert(
    fc.property(
      fc.constantFrom(...webhookProviders),
      fc.constantFrom(...events),
      payload,
      (provider, event, found) => {
        const { kind } = readDelivery(provider, event, found)
        expect(['issue', 'ignored', 'invalid']).toContain(kind)
      },
    ),
    { numRuns: 2000 },
  )
})
