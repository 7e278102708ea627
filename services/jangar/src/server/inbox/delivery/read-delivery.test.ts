import type { ImplementationSource } from '@agents/jangar-api'
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkEvents,
  issueEvents,
  pushEvents,
  requestEvents,
} from '../../agents-controller/implementation-source/trigger/trigger-event.ts'
import { triggeredRunName } from '../../agents-controller/implementation-source/trigger/triggered-run.ts'
import { readDelivery, subjectOf } from './read-delivery.ts'
import type { ReadDelivery } from './read-result.ts'
import { type WebhookProvider, webhookProviders } from './signature.ts'
import { changes } from './testing/change-payloads.ts'

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
      const { kind } = readDelivery('github', name, payload)
      if (kind !== 'push' && kind !== 'check') expect(kind, name).toBe(expected)
    }
  })

  test('of pushes are to branches, and of checks have failed', () => {
    const found = payloads
      .map(({ name, payload }) => readDelivery('github', name, payload))
      .filter(({ kind }) => kind === 'push' || kind === 'check')
    expect(found).toMatchObject([
      {
        kind: 'check',
        check: {
          ...{ repository: 'Codertocat/Hello-World', name: 'Octocoders-linter', text: '' },
          ...{ commit: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821', branches: ['changes'] },
        },
      },
      { kind: 'push', push: { branch: 'master', actor: 'Codertocat', actorId: 21_031_067 } },
      { kind: 'push', push: { branch: 'master', text: 'Initial commit' } },
    ])
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

/** Deliveries that are read, in the shapes that the services publish. */
const originals: readonly {
  readonly provider: WebhookProvider
  readonly event: string
  readonly payload: object
}[] = [
  ...payloads
    .filter(({ name }) =>
      /^(issues|issue_comment|pull_request_review|push|check_run|status)$/.test(name),
    )
    .map(({ name: event, payload }) => ({ provider: 'github' as const, event, payload })),
  ...changes,
  {
    ...{ provider: 'gitlab', event: 'Note Hook' },
    payload: {
      ...{ object_kind: 'note', user: { id: 1, username: 'operator' } },
      project: { path_with_namespace: 'group/app' },
      object_attributes: {
        ...{ id: 9, note: '/agent run', noteable_type: 'Issue', author_id: 1, system: false },
        ...{ action: 'create', url: 'https://gitlab.test/i/23#note_9' },
      },
      issue: {
        iid: 23,
        title: 'x',
        description: 'y',
        updated_at: '2026-11-17 08:00:00 UTC',
        labels,
      },
    },
  },
  {
    ...{ provider: 'gitlab', event: 'Issue Hook' },
    payload: {
      ...{ object_kind: 'issue', user: { id: 1, username: 'operator' }, labels },
      project: { path_with_namespace: 'group/app' },
      object_attributes: { iid: 23, updated_at: '2026-11-17 08:00:00 UTC', action: 'update' },
      changes: { labels: { previous: [], current: labels } },
    },
  },
  ...(['Issue', 'Comment'] as const).map((type) => ({
    ...{ provider: 'linear' as const, event: type },
    payload: {
      ...{ type, action: 'create', createdAt: '2026-11-17T08:00:00.500Z' },
      actor: { id: 'u', type: 'user', name: 'operator', email: 'operator@example.com' },
      data: {
        ...{ id: 'c', identifier: 'ENG-7', body: '/agent run', userId: 'u', team: { key: 'ENG' } },
        ...{ issue: { identifier: 'ENG-7' }, labels: [{ id: 'l', name: 'agent' }] },
        updatedAt: '2026-11-17T08:00:00.500Z',
      },
      updatedFrom: { labelIds: [] },
    },
  })),
]

const source = {
  metadata: { name: 'issues', namespace: 'agents' },
  spec: {
    triggers: [
      { name: 'label', event: 'Labelled', label: 'agent', template: { spec: {} } },
      { name: 'opened', event: 'Opened', template: { spec: {} } },
      { name: 'assigned', event: 'Assigned', template: { spec: {} } },
      { name: 'again', event: 'Command', template: { spec: {} } },
      { name: 'review', event: 'ChangesRequested', template: { spec: {} } },
      { name: 'ci', event: 'CheckFailed', template: { spec: {} } },
      { name: 'push', event: 'Push', branches: ['*'], template: { spec: {} } },
    ],
  },
} as unknown as ImplementationSource

/** The payload with some of its values replaced or removed. */
function mutated(value: unknown, choose: () => number, junk: () => unknown): unknown {
  if (choose() === 0) return junk()
  if (Array.isArray(value)) return value.map((item) => mutated(item, choose, junk))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => choose() !== 1)
      .map(([name, member]) => [name, mutated(member, choose, junk)]),
  )
}

test('the originals of mutated deliveries are read', () => {
  const kinds = originals.map(({ provider, event, payload }) => {
    return `${provider} ${readDelivery(provider, event, payload).kind}`
  })
  for (const one of ['gitlab request', 'gitlab issue', 'linear issue', 'linear request']) {
    expect(kinds).toContain(one)
  }
})

test('mutated deliveries are read, ignored or refused, and crash nothing that comes after', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      fc.constantFrom(...originals),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 400 }),
      fc.array(fc.jsonValue(), { minLength: 1, maxLength: 10 }),
      ({ provider, event, payload }, choices, values) => {
        let at = 0
        const choose = () => choices[at++ % choices.length] ?? 2
        const junk = () => values[at % values.length]
        const changed = mutated(payload, choose, junk)
        if (typeof changed !== 'object' || changed === null) return
        const read = readDelivery(provider, event, changed)
        seen.add(read.kind)
        if (read.kind === 'ignored' || read.kind === 'invalid') return
        expect(subjectOf(read).length).toBeLessThan(600)
        const body = Buffer.from(JSON.stringify(changed))
        const events = eventsOf(read, body)
        for (const one of events) expect(triggeredRunName(source, one).length).toBeLessThan(254)
      },
    ),
    { numRuns: 5000 },
  )
  expect([...seen].toSorted()).toEqual([
    ...['check', 'ignored', 'invalid', 'issue', 'push', 'request'],
  ])
})

function eventsOf(read: Exclude<ReadDelivery, { kind: 'ignored' | 'invalid' }>, body: Buffer) {
  if (read.kind === 'request') return requestEvents(source, read.request, body)
  if (read.kind === 'push') return pushEvents(source, read.push)
  if (read.kind === 'check') return checkEvents(source, read.check)
  return issueEvents(source, read.issue, { ...everything, ...read }, body)
}

const nobody = { actor: 'nobody', actorId: undefined }
const everything = {
  opened: nobody,
  labelled: { ...nobody, added: undefined },
  assigned: { ...nobody, assignees: [] },
}

test('whatever is signed can be read, ignored or refused, and crashes nothing', () => {
  const known = ['issues', 'issue_comment', 'Issue Hook', 'Note Hook', 'Issue', 'Comment']
  const more = ['push', 'status', 'check_run', 'Push Hook', 'Pipeline Hook']
  const events = [...known, ...more, 'pull_request_rejected', '__proto__', 'constructor', '']
  const members = ['issue', 'repository', 'object_attributes', 'project', 'data', 'type', 'action']
  const payload = fc.dictionary(fc.constantFrom(...members), fc.jsonValue())
  fc.assert(
    fc.property(
      fc.constantFrom(...webhookProviders),
      fc.constantFrom(...events),
      payload,
      (provider, event, found) => {
        const { kind } = readDelivery(provider, event, found)
        expect(['issue', 'request', 'ignored', 'invalid']).toContain(kind)
      },
    ),
    { numRuns: 2000 },
  )
})
