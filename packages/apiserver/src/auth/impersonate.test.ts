import { describe, expect, test } from 'vitest'
import { impersonate } from './impersonate.ts'
import { rbacAuthorizer } from './rbac/authorizer.ts'
import type { PolicyRule } from './rbac/policy.ts'

const admin = { name: 'admin', groups: ['system:masters'] }
const nobody = { name: 'nobody', groups: [] }

const listing = {
  isResource: true,
  path: '/api/v1/namespaces/agents/pods',
  verb: 'list',
  group: '',
  version: 'v1',
  namespace: 'agents',
  resource: 'pods',
  name: '',
  subresource: '',
  rest: '',
}

function authorizerWith(rules: PolicyRule[]) {
  return rbacAuthorizer({
    clusterRoles: [{ metadata: { name: 'actor' }, rules }],
    roles: [],
    clusterRoleBindings: [
      {
        metadata: { name: 'actor' },
        roleRef: { kind: 'ClusterRole', name: 'actor' },
        subjects: [{ kind: 'User', name: 'nobody' }],
      },
    ],
    roleBindings: [],
  })
}

function act(user: typeof admin, headers: Record<string, string[]>, rules: PolicyRule[] = []) {
  return impersonate(
    user,
    Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])),
    headers,
    authorizerWith(rules),
    listing,
  )
}

describe('impersonation', () => {
  test('does not change a request without the headers', () => {
    expect(act(nobody, {})).toBe(nobody)
  })

  test('sets user, groups and extras', () => {
    expect(
      act(admin, {
        'impersonate-user': ['auditor'],
        'impersonate-group': ['readers', 'on-call'],
        'impersonate-uid': ['u9'],
        'impersonate-extra-scopes': ['view', 'list'],
      }),
    ).toEqual({
      name: 'auditor',
      uid: 'u9',
      groups: ['readers', 'on-call', 'system:authenticated'],
      extra: { scopes: ['view', 'list'] },
    })
  })

  test('sets the groups of a service account', () => {
    expect(
      act(admin, { 'impersonate-user': ['system:serviceaccount:agents:runner'] }).groups,
    ).toEqual(['system:serviceaccounts', 'system:serviceaccounts:agents', 'system:authenticated'])
  })

  test('is denied without permission', () => {
    expect(() => act(nobody, { 'impersonate-user': ['auditor'] })).toThrow(
      'pods is forbidden: User "nobody" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "agents"',
    )
  })

  test('checks each part on its own', () => {
    const users = { verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }
    expect(act(nobody, { 'impersonate-user': ['auditor'] }, [users]).name).toBe('auditor')
    expect(() =>
      act(nobody, { 'impersonate-user': ['auditor'], 'impersonate-group': ['system:masters'] }, [
        users,
      ]),
    ).toThrow('is forbidden')
  })

  test('can be constrained to certain requests', () => {
    const own = 'authentication.k8s.io'
    const limited = [
      { verbs: ['impersonate:user-info'], apiGroups: [own], resources: ['users', 'groups'] },
      { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['pods'] },
    ]
    const [rule] = limited
    const requested = { 'impersonate-user': ['auditor'], 'impersonate-group': ['readers'] }
    expect(act(nobody, requested, limited)).toEqual({
      name: 'auditor',
      groups: ['readers', 'system:authenticated'],
    })
    expect(() => act(nobody, requested, rule === undefined ? [] : [rule])).toThrow('is forbidden')
    const masters = { ...requested, 'impersonate-group': ['system:masters'] }
    expect(() => act(nobody, masters, limited)).toThrow(
      'impersonating the system:masters group is not allowed',
    )
    const account = { 'impersonate-user': ['system:serviceaccount:agents:runner'] }
    expect(() => act(nobody, account, limited)).toThrow('impersonate-on:serviceaccount:list')
  })

  test('requires a user name', () => {
    expect(() => act(admin, { 'impersonate-group': ['readers'] })).toThrow(
      'requested impersonation without impersonating a user name',
    )
  })
})
