import type { AccessQuestion } from '@agents/kube'
import { expect, test } from 'vitest'
import { checkAccess } from './check-access.ts'
import { type Grant, parseGrants } from './grant.ts'

const { signal } = new AbortController()

const grants: readonly Grant[] = [
  {
    namespace: 'agents',
    rules: [
      { apiGroups: ['batch'], resources: ['jobs', 'jobs/status'], verbs: ['get', 'create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['a', 'b'], verbs: ['get'] },
    ],
  },
  { rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['list'] }] },
  { rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] },
]

function allowing(isAllowed: (question: AccessQuestion) => boolean) {
  const requested: AccessQuestion[] = []
  return {
    requested,
    reviewOwnAccess: async (question: AccessQuestion) => {
      requested.push(question)
      return { allowed: isAllowed(question) }
    },
    whoAmI: async () => ({ username: 'system:serviceaccount:agents:agents' }),
  }
}

test('checks each permission exactly once', async () => {
  const client = allowing(() => true)
  const finding = await checkAccess({ client, grants: [...grants, ...grants], signal })
  expect(finding).toEqual({
    about: 'rbac',
    verdict: 'good',
    says: 'system:serviceaccount:agents:agents has all 8 required permissions',
  })
  const job = { group: 'batch', resource: 'jobs', namespace: 'agents' }
  const secret = { verb: 'get', group: '', resource: 'secrets', namespace: 'agents' }
  const expected: AccessQuestion[] = [
    { resourceAttributes: { ...job, verb: 'get' } },
    { resourceAttributes: { ...job, verb: 'create' } },
    { resourceAttributes: { ...job, subresource: 'status', verb: 'get' } },
    { resourceAttributes: { ...job, subresource: 'status', verb: 'create' } },
    { resourceAttributes: { ...secret, name: 'a' } },
    { resourceAttributes: { ...secret, name: 'b' } },
    { resourceAttributes: { verb: 'list', group: '', resource: 'namespaces' } },
    { nonResourceAttributes: { verb: 'get', path: '/metrics' } },
  ]
  expect(client.requested).toHaveLength(expected.length)
  expect(client.requested).toEqual(expect.arrayContaining(expected))
})

test('names the missing permissions', async () => {
  const client = allowing(({ resourceAttributes }) => resourceAttributes?.verb !== 'create')
  expect(await checkAccess({ client, grants, signal })).toMatchObject({
    verdict: 'bad',
    says: 'system:serviceaccount:agents:agents is not allowed to create jobs.batch in agents, create jobs.batch/status in agents',
    advice: [expect.stringContaining('rbac.create')],
  })
})

test('names only some of many missing permissions', async () => {
  const { says } = await checkAccess({ client: allowing(() => false), grants, signal })
  expect(says).toMatch(/, and 2 more$/)
})

test('fails without rules to check', async () => {
  const client = allowing(() => true)
  for (const none of [[], [{ namespace: 'agents', rules: [] }]]) {
    expect(await checkAccess({ client, grants: none, signal })).toMatchObject({ verdict: 'bad' })
  }
})

test('passes on the error of an unreachable API server', async () => {
  const client = {
    ...allowing(() => true),
    reviewOwnAccess: () => Promise.reject(new Error('unreachable')),
  }
  await expect(checkAccess({ client, grants, signal })).rejects.toThrow('unreachable')
})

test('rules are parsed', () => {
  expect(parseGrants(JSON.stringify(grants))).toEqual(grants)
})

test.each([
  '',
  '{}',
  '[1]',
  '[{}]',
  '[{"rules": [{}]}]',
  '[{"rules": [{"verbs": [1]}]}]',
  '[{"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": []}]}]',
  '[{"rules": [{"apiGroups": [""], "resource": ["pods"], "verbs": ["get"]}]}]',
  '[{"rules": [{"resources": ["pods"], "verbs": ["get"]}]}]',
])('%j are not valid rules', (text) => {
  expect(() => parseGrants(text)).toThrow(/^the rules (are not valid JSON|must have the form)/)
})
