import type { ImplementationSource } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { synced } from './synced.ts'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }
const auth = { secretRef: { name: 's' } }
const webhook = { enabled: true }

describe('the spec of a source', () => {
  test.each([
    {
      because: 'GitHub tells repository and labels',
      spec: { provider: 'github', auth, webhook, scope: { repository: 'a/b', labels: ['x'] } },
      expected: /^pass Valid/,
    },
    {
      because: 'Linear tells team and project',
      spec: { provider: 'linear', auth, webhook, scope: { team: 'T', project: 'P' } },
      expected: /^pass Valid/,
    },
    {
      because: 'GitHub tells no team',
      spec: { provider: 'github', auth, webhook, scope: { team: 'T' } },
      expected: /^stall UnsupportedScope: .*team/,
    },
    {
      because: 'Linear tells no repository',
      spec: { provider: 'linear', auth, webhook, scope: { repository: 'a/b' } },
      expected: /^stall UnsupportedScope: .*repository/,
    },
    {
      because: 'a delivery cannot be queried',
      spec: { provider: 'github', auth, webhook, scope: { query: 'is:open' } },
      expected: /^stall UnsupportedScope: .*query/,
    },
    {
      because: 'nothing is received',
      spec: { provider: 'github', auth },
      expected: /^stall WebhookDisabled/,
    },
  ] as const)('$because', async ({ spec, expected }) => {
    const source = { metadata: { name: 's' }, spec } as unknown as ImplementationSource
    const { kind, reason, message } = await validated.check(source, {}, context)
    expect(`${kind} ${reason}: ${message}`).toMatch(expected)
  })
})

describe('what became of the last delivery', () => {
  test.each([
    { because: 'there was none', last: undefined, expected: 'pass NothingReceived' },
    { because: 'it was taken over', last: { status: 'synced' }, expected: 'pass WebhookSynced' },
    {
      because: 'it is tried again',
      last: { status: 'retrying' },
      expected: 'wait WebhookRetrying',
    },
    { because: 'it was given up', last: { status: 'failed' }, expected: 'stall WebhookFailed' },
  ])('$expected: $because', async ({ last, expected }) => {
    const status = last && { lastWebhook: last }
    const source = { metadata: { name: 's' }, status } as unknown as ImplementationSource
    const { kind, reason } = await synced.check(source, {}, context)
    expect(`${kind} ${reason}`).toBe(expected)
  })
})
