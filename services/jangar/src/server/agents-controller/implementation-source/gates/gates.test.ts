import type { ImplementationSource } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { served } from './served.ts'
import { synced } from './synced.ts'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }
const auth = { secretRef: { name: 's' } }
const webhook = { enabled: true }
const vcsRef = { name: 'hub' }

describe('the spec of a source', () => {
  test.each([
    {
      because: 'GitHub supports repository and labels',
      spec: { provider: 'github', auth, webhook, scope: { repository: 'a/b', labels: ['x'] } },
      expected: /^pass Valid/,
    },
    {
      because: 'Linear supports team and project',
      spec: { provider: 'linear', auth, webhook, scope: { team: 'T', project: 'P' } },
      expected: /^pass Valid/,
    },
    {
      because: 'GitHub does not support team',
      spec: { provider: 'github', auth, webhook, scope: { team: 'T' } },
      expected: /^stall UnsupportedScope: .*team/,
    },
    {
      because: 'Linear does not support repository',
      spec: { provider: 'linear', auth, webhook, scope: { repository: 'a/b' } },
      expected: /^stall UnsupportedScope: .*repository/,
    },
    {
      because: 'labels and comments of GitLab start runs',
      spec: {
        ...{ provider: 'gitlab', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [{ name: 'label', event: 'Labelled', label: 'x' }],
      },
      expected: /^pass Valid/,
    },
    {
      because: 'an expression does not compile',
      spec: {
        ...{ provider: 'gitlab', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [
          { name: 'good', event: 'Opened', when: "event.actor == 'operator'" },
          { name: 'bad', event: 'Opened', when: "event.author == 'operator'" },
        ],
      },
      expected: /^stall ExpressionInvalid: spec.triggers\[bad\].when: .*author/,
    },
    {
      because: 'GitLab does not say when a review requests changes',
      spec: {
        ...{ provider: 'gitlab', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [{ name: 'review', event: 'ChangesRequested' }],
      },
      expected: /^stall UnsupportedTrigger: GitLab sends no webhook/,
    },
    {
      because: 'a push has nothing to do',
      spec: {
        ...{ provider: 'github', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [{ name: 'push', event: 'Push', branches: ['*'], template: { spec: {} } }],
      },
      expected:
        /^stall UnsupportedTrigger: spec.triggers\[push\].template.spec.implementation.inline.text/,
    },
    {
      because: 'an event would choose a Secret',
      spec: {
        ...{ provider: 'github', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [
          { name: 'x', event: 'Opened', template: { spec: { secrets: ['{{ event.title }}'] } } },
        ],
      },
      expected: /^stall TemplateInvalid: spec.triggers\[x\].template.spec.secrets\[0\]: an event/,
    },
    {
      because: 'Linear has no checks',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [{ name: 'ci', event: 'CheckFailed', actors: { users: ['a@b.c'] } }],
      },
      expected: /^stall UnsupportedTrigger: .*Linear has no repositories/,
    },
    {
      because: 'named users of Linear start runs',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [{ name: 'label', event: 'Labelled', label: 'x', actors: { users: ['a@b.c'] } }],
      },
      expected: /^pass Valid/,
    },
    {
      because: 'Linear has no permissions to ask for',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [{ name: 'label', event: 'Labelled', label: 'x' }],
      },
      expected: /^stall UnsupportedTrigger: .*actors.users must name users/,
    },
    {
      because: 'names in Linear can be chosen freely',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [{ name: 'again', event: 'Command', actors: { users: ['a@b.c', 'admin'] } }],
      },
      expected: /^stall UnsupportedTrigger: .*email addresses/,
    },
    {
      because: 'Linear has no administrators of a repository',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [
          {
            ...{ name: 'again', event: 'Command' },
            actors: { users: ['a@b.c'], minimumPermission: 'admin' },
          },
        ],
      },
      expected: /^stall UnsupportedTrigger: .*minimumPermission/,
    },
    {
      because: 'Linear has no reviews',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [{ name: 'review', event: 'ChangesRequested', actors: { users: ['a@b.c'] } }],
      },
      expected: /^stall UnsupportedTrigger: .*no reviews/,
    },
    {
      because: 'users of Linear are named by their addresses, assignees, too',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [
          {
            ...{ name: 'assigned', event: 'Assigned', assignee: 'agent' },
            actors: { users: ['a@b.c'] },
          },
        ],
      },
      expected: /^stall UnsupportedTrigger: .*assignee must name a user of Linear/,
    },
    {
      because: 'named users of Linear open and assign',
      spec: {
        ...{ provider: 'linear', auth, webhook, scope: { team: 'T' } },
        triggers: [
          { name: 'opened', event: 'Opened', actors: { users: ['a@b.c'] } },
          {
            ...{ name: 'assigned', event: 'Assigned', assignee: 'agent@b.c' },
            actors: { users: ['a@b.c'] },
          },
        ],
      },
      expected: /^pass Valid/,
    },
    {
      because: 'teams of an organization and groups of GitLab may start runs',
      spec: {
        ...{ provider: 'gitlab', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [{ name: 'new', event: 'Opened', actors: { teams: ['a', 'a/b/c'] } }],
      },
      expected: /^pass Valid/,
    },
    {
      because: 'a team of GitHub is in an organization',
      spec: {
        ...{ provider: 'github', auth, webhook, vcsRef, scope: { repository: 'a/b' } },
        triggers: [{ name: 'new', event: 'Opened', actors: { teams: ['a/b', 'agents'] } }],
      },
      expected: /^stall UnsupportedTrigger: .*teams: agents is not organization\/team/,
    },
    ...(['linear', 'generic'] as const).map((provider) => ({
      because: `${provider} has no teams`,
      spec: {
        ...{ provider, auth, webhook },
        triggers: [{ name: 'new', event: 'Opened', actors: { users: ['a@b.c'], teams: ['a/b'] } }],
      },
      expected: /^stall UnsupportedTrigger: .*has no teams/,
    })),
    {
      because: 'a query of words and labels can be answered',
      spec: { provider: 'linear', auth, webhook, scope: { query: 'parser -label:wontfix' } },
      expected: /^pass Valid/,
    },
    {
      because: 'a query by what deliveries do not contain cannot be answered',
      spec: { provider: 'github', auth, webhook, scope: { query: 'bug milestone:next' } },
      expected: /^stall UnsupportedScope: spec.scope.query: "milestone:next" is not supported/,
    },
    {
      because: 'webhooks are disabled',
      spec: { provider: 'github', auth },
      expected: /^stall WebhookDisabled/,
    },
    {
      because: 'a generic source has webhooks alone',
      spec: { provider: 'generic', auth, webhook: { enabled: false } },
      expected: /^stall WebhookDisabled: .*set spec.webhook.enabled to true$/,
    },
    {
      because: 'generic issues cannot be listed',
      spec: { provider: 'generic', auth, webhook, vcsRef },
      expected: /^stall ProviderMismatch: .*remove spec.vcsRef/,
    },
    {
      because: 'generic issues are of no repository',
      spec: { provider: 'generic', auth, webhook, scope: { repository: 'a/b' } },
      expected: /^stall UnsupportedScope: .*repository/,
    },
    {
      because: 'named users of a generic source start runs',
      spec: {
        ...{ provider: 'generic', auth, webhook },
        triggers: [{ name: 'label', event: 'Labelled', label: 'x', actors: { users: ['a'] } }],
      },
      expected: /^pass Valid/,
    },
    {
      because: 'without names anybody whom a sender names would start runs',
      spec: { provider: 'generic', auth, webhook, triggers: [{ name: 'new', event: 'Opened' }] },
      expected: /^stall UnsupportedTrigger: .*actors.users must name users/,
    },
    {
      because: 'a generic source has no administrators',
      spec: {
        ...{ provider: 'generic', auth, webhook },
        triggers: [
          { name: 'new', event: 'Opened', actors: { users: ['a'], minimumPermission: 'admin' } },
        ],
      },
      expected: /^stall UnsupportedTrigger: .*minimumPermission/,
    },
    {
      because: 'a generic source has no comments',
      spec: {
        ...{ provider: 'generic', auth, webhook },
        triggers: [{ name: 'again', event: 'Command', actors: { users: ['a'] } }],
      },
      expected: /^stall UnsupportedTrigger: .*Opened and Labelled only/,
    },
    {
      because: 'issues are listed, and webhooks are disabled',
      spec: { provider: 'gitea', auth, vcsRef, scope: { repository: 'a/b' } },
      expected: /^pass Valid/,
    },
    {
      because: 'issues of an organization cannot be listed',
      spec: { provider: 'gitea', auth, webhook, vcsRef, scope: { organization: 'a' } },
      expected: /^stall MissingRepository/,
    },
    {
      because: 'issues of Linear are not listed with a VersionControlProvider',
      spec: { provider: 'linear', auth, webhook, vcsRef },
      expected: /^stall ProviderMismatch: .*apiKeySecretRef/,
    },
    {
      because: 'issues of Linear are listed with a key',
      spec: { provider: 'linear', auth: { ...auth, apiKeySecretRef: { name: 'k' } } },
      expected: /^pass Valid/,
    },
    {
      because: 'the key of Linear is not for other providers',
      spec: { provider: 'github', auth: { ...auth, apiKeySecretRef: { name: 'k' } }, webhook },
      expected: /^stall ProviderMismatch: .*are for linear/,
    },
    ...[
      'http://linear.example',
      'ftp://linear.example',
      'https://a@linear.example',
      'https://linear.example?x',
      'nothing',
    ].map((apiBaseUrl) => ({
      because: `the key is not sent to ${apiBaseUrl}`,
      spec: { provider: 'linear', auth, webhook, apiBaseUrl },
      expected: /^stall AddressInvalid: spec.apiBaseUrl/,
    })),
    {
      because: 'fields may be mapped',
      spec: {
        provider: 'github',
        auth,
        webhook,
        mapping: { text: 'title', summary: 'externalId' },
      },
      expected: /^pass Valid/,
    },
    {
      because: 'no other field can be set by an issue',
      spec: { provider: 'github', auth, webhook, mapping: { vcsRef: 'title' } },
      expected: /^stall UnsupportedMapping: .*vcsRef/,
    },
    {
      because: 'an issue has no such field',
      spec: { provider: 'github', auth, webhook, mapping: { text: 'author' } },
      expected: /^stall UnsupportedMapping: .*author/,
    },
  ] as const)('$because', async ({ spec, expected }) => {
    const source = { metadata: { name: 's' }, spec } as unknown as ImplementationSource
    const { kind, reason, message } = await validated.check(source, {}, context)
    expect(`${kind} ${reason}: ${message}`).toMatch(expected)
  })
})

describe('the receiver of deliveries', () => {
  test.each([
    {
      because: 'a release without a receiver',
      receives: false,
      spec: { webhook },
      expected: 'stall NotServed',
    },
    {
      because: 'a release with a receiver',
      receives: true,
      spec: { webhook },
      expected: 'pass Served',
    },
    {
      because: 'no receiver, but lists',
      receives: false,
      spec: { webhook, vcsRef },
      expected: 'pass Polled',
    },
    { because: 'lists alone', receives: true, spec: { vcsRef }, expected: 'pass Polled' },
    {
      because: 'lists of Linear',
      receives: false,
      spec: { provider: 'linear', auth: { apiKeySecretRef: { name: 'k' } } },
      expected: 'pass Polled',
    },
  ])('$expected: $because', async ({ receives, spec, expected }) => {
    const source = { metadata: { name: 's' }, spec } as unknown as ImplementationSource
    const { kind, reason } = await served(receives).check(source, {}, context)
    expect(`${kind} ${reason}`).toBe(expected)
  })
})

describe('the last delivery', () => {
  test.each([
    { because: 'none was received', last: undefined, expected: 'pass NothingReceived' },
    { because: 'it was imported', last: { status: 'synced' }, expected: 'pass WebhookSynced' },
    {
      because: 'it is retried',
      last: { status: 'retrying' },
      expected: 'wait WebhookRetrying',
    },
    {
      because: 'it failed permanently',
      last: { status: 'failed' },
      expected: 'stall WebhookFailed',
    },
    {
      because: 'it was imported, and the issues were not listed yet',
      last: { status: 'synced' },
      spec: { vcsRef },
      expected: 'wait NotListed',
    },
    {
      because: 'listing fails',
      last: undefined,
      spec: { vcsRef },
      lastSync: { error: 'no' },
      expected: 'wait ListFailed',
    },
    {
      because: 'the issues were listed',
      last: undefined,
      spec: { vcsRef },
      lastSync: { issues: 3 },
      expected: 'pass Listed',
    },
  ])('$expected: $because', async ({ last, lastSync, spec = {}, expected }) => {
    const status = { ...(last && { lastWebhook: last }), ...(lastSync && { lastSync }) }
    const source = { metadata: { name: 's' }, spec, status } as unknown as ImplementationSource
    const { kind, reason } = await synced.check(source, {}, context)
    expect(`${kind} ${reason}`).toBe(expected)
  })
})
