import { mostCheckedResources } from '@agents/gittarget-api'
import { describe, expect, test } from 'vitest'
import { clusterWatchRule, watchRule } from './admission-probes.ts'
import { watch, writeOurs } from './tenant-rights.ts'
import type { Rule, Tenants } from './tenants.ts'

const cases: readonly {
  because: string
  rules: readonly object[]
  may: readonly Rule[]
  refused?: string
}[] = [
  {
    because: 'Secrets would be mirrored for a user who may not read them',
    rules: [{ resources: ['secrets'] }],
    may: [watch([''], ['configmaps'])],
    refused: 'attacker may not list and watch secrets in the namespace',
  },
  {
    because: 'the second rule counts as well',
    rules: [{ resources: ['configmaps'] }, { apiGroups: [''], resources: ['secrets'] }],
    may: [watch([''], ['configmaps'])],
    refused: 'list and watch secrets in',
  },
  {
    because: 'everything includes Secrets',
    rules: [{ resources: ['*'] }],
    may: [watch([''], ['configmaps'])],
    refused: 'list and watch *.* in',
  },
  {
    because: 'everything of the core group includes Secrets',
    rules: [{ apiGroups: [''], resources: ['*'] }],
    may: [watch([''], ['configmaps', 'pods'])],
    refused: 'list and watch * in',
  },
  {
    because: 'any group includes the core group',
    rules: [{ apiGroups: ['*'], resources: ['secrets'] }],
    may: [watch(['example.com'], ['secrets'])],
    refused: 'list and watch secrets.* in',
  },
  {
    because: 'list alone is not watch',
    rules: [{ resources: ['configmaps'] }],
    may: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'get'] }],
    refused: 'list and watch configmaps in',
  },
  {
    because: 'the group of a custom resource is unknown unless the rule names it',
    rules: [{ resources: ['widgets'] }],
    may: [watch(['example.com'], ['widgets'])],
    refused: 'set apiGroups to check the permission',
  },
  {
    because: 'permission for the custom resource of that group is enough',
    rules: [{ apiGroups: ['example.com'], resources: ['widgets'] }],
    may: [watch(['example.com'], ['widgets'])],
  },
  {
    because: 'the group of built-in resources is known',
    rules: [{ resources: ['configmaps', 'deployments'] }],
    may: [watch([''], ['configmaps']), watch(['apps'], ['deployments'])],
  },
  {
    because: 'pairs of group and resource that do not exist need no permission',
    rules: [{ apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments'] }],
    may: [watch([''], ['configmaps']), watch(['apps'], ['deployments'])],
  },
  {
    because: 'a user who may read everything may mirror everything',
    rules: [{ resources: ['*'] }, { resources: ['secrets'] }],
    may: [watch(['*'], ['*'])],
  },
  {
    because: 'every resource of a long list is checked',
    rules: [
      {
        apiGroups: ['example.com'],
        resources: Array.from({ length: mostCheckedResources }, (_, at) => `r${at}`),
      },
    ],
    may: [
      watch(
        ['example.com'],
        Array.from({ length: mostCheckedResources - 1 }, (_, at) => `r${at}`),
      ),
    ],
    refused: `list and watch r${mostCheckedResources - 1}.example.com in`,
  },
  {
    because: 'a long list whose resources may all be read passes',
    rules: [
      {
        apiGroups: ['example.com'],
        resources: Array.from({ length: mostCheckedResources }, (_, at) => `r${at}`),
      },
    ],
    may: [watch(['example.com'], ['*'])],
  },
  {
    because: 'a list that is too long to be checked is refused',
    rules: [
      {
        apiGroups: ['example.com'],
        resources: Array.from({ length: mostCheckedResources + 1 }, (_, at) => `r${at}`),
      },
    ],
    may: [watch(['example.com'], ['*'])],
    refused: 'create several rules',
  },
  {
    because: 'rules as large as the schema allows are refused, not accepted',
    rules: Array.from({ length: 8 }, () => ({
      apiGroups: Array.from({ length: 16 }, (_, at) => `g${at}.example.com`),
      resources: Array.from({ length: 64 }, (_, at) => `r${at}`),
    })),
    may: [],
    refused: 'spec.rules',
  },
]

/** Tenants that mirror resources which they may not list and watch. */
export function describeWatchRights(running: () => Tenants): void {
  describe('a WatchRule', () => {
    test.each(cases)('is checked: $because', async ({ rules, may, refused }) => {
      const namespace = await running().namespace()
      const attacker = await running().user('attacker', { namespace, rules: [writeOurs, ...may] })
      const { code, message } = await attacker.create(watchRule(namespace, ...rules))
      if (refused === undefined) expect([code, message]).toEqual([201, ''])
      else {
        expect([403, 422]).toContain(code)
        expect(message).toContain(refused)
      }
    })

    test('is checked when it changes, and not when something else does', async () => {
      const namespace = await running().namespace()
      const rule = watchRule(namespace, { resources: ['configmaps'] })
      const developer = await running().user('developer', {
        namespace,
        rules: [writeOurs, watch([''], ['configmaps'])],
      })
      const writer = await running().user('writer', { namespace, rules: [writeOurs] })
      expect(await developer.create(rule)).toMatchObject({ code: 201 })
      const label = { metadata: { labels: { team: 'a' } } }
      expect(await writer.patch(rule, label)).toMatchObject({ code: 200 })
      const status = { status: { observedGeneration: 1 } }
      expect(await writer.patch(rule, status, 'status')).toMatchObject({ code: 200 })
      const more = { spec: { rules: [{ resources: ['secrets'] }] } }
      expect(await developer.patch(rule, more)).toMatchObject({ code: 403 })
      const elsewhere = { spec: { targetRef: { name: 'of-attacker' } } }
      expect(await writer.patch(rule, elsewhere)).toMatchObject({ code: 403 })
      expect(await developer.patch(rule, elsewhere)).toMatchObject({ code: 200 })
    })
  })

  test('a ClusterWatchRule needs the permissions in every namespace', async () => {
    const namespace = await running().namespace()
    const rule = { scope: 'Namespaced', resources: ['secrets'] }
    const attacker = await running().user(
      'editor',
      { rules: [writeOurs] },
      { namespace, rules: [watch([''], ['secrets'])] },
    )
    const selector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } }
    for (const each of [rule, { ...rule, namespaceSelector: selector }]) {
      expect(await attacker.create(clusterWatchRule(each))).toMatchObject({
        code: 403,
        message: expect.stringContaining('may not list and watch secrets in all namespaces'),
      })
    }
    const member = await running().user('member', {
      rules: [writeOurs, watch([''], ['secrets'])],
    })
    expect(await member.create(clusterWatchRule(rule))).toMatchObject({ code: 201 })
  })
}
