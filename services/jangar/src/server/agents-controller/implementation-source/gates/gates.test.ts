import type { ImplementationSource } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { served } from './served.ts'
import { synced } from './synced.ts'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }
const auth = { secretRef: { name: 's' } }
const webhook = { enabled: true }

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
      because: 'queries are not supported',
      spec: { provider: 'github', auth, webhook, scope: { query: 'is:open' } },
      expected: /^stall UnsupportedScope: .*query/,
    },
    {
      because: 'webhooks are disabled',
      spec: { provider: 'github', auth },
      expected: /^stall WebhookDisabled/,
    },
  ] as const)('$because', async ({ spec, expected }) => {
    const source = { metadata: { name: 's' }, spec } as unknown as ImplementationSource
    const { kind, reason, message } = await validated.check(source, {}, context)
    expect(`${kind} ${reason}: ${message}`).toMatch(expected)
  })
})

describe('the receiver of deliveries', () => {
  test.each([
    { because: 'a release without a receiver', receives: false, expected: 'stall NotServed' },
    { because: 'a release with a receiver', receives: true, expected: 'pass Served' },
  ])('$expected: $because', async ({ receives, expected }) => {
    const source = { metadata: { name: 's' } } as unknown as ImplementationSource
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
  ])('$expected: $because', async ({ last, expected }) => {
    const status = last && { lastWebhook: last }
    const source = { metadata: { name: 's' }, status } as unknown as ImplementationSource
    const { kind, reason } = await synced.check(source, {}, context)
    expect(`${kind} ${reason}`).toBe(expected)
  })
})
