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

const authorizerWith = (rules: PolicyRule[]) =>
  rbacAuthorizer({
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

const act = (user: typeof admin, headers: Record<string, string[]>, rules: PolicyRule[] = []) =>
  impersonate(
    user,
    Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')])),
    headers,
    authorizerWith(rules),
    listing,
  )

describe('impersonation', () => {
  test('leaves a request alone that does not ask for it', () => {
    expect(act(nobody, {})).toBe(nobody)
  })

  test('gives the user, the groups and the extras asked for', () => {
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

  test('gives a service account its own groups', () => {
    expect(
      act(admin, { 'impersonate-user': ['system:serviceaccount:agents:runner'] }).groups,
    ).toEqual(['system:serviceaccounts', 'system:serviceaccounts:agents', 'system:authenticated'])
  })

  test('is refused to those who may not', () => {
    expect(() => act(nobody, { 'impersonate-user': ['auditor'] })).toThrow(
      'pods is forbidden: User "nobody" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "agents"',
    )
  })

  test('asks for every part on its own', () => {
    const users = { verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }
    expect(act(nobody, { 'impersonate-user': ['auditor'] }, [users]).name).toBe('auditor')
    expect(() =>
      act(nobody, { 'impersonate-user': ['auditor'], 'impersonate-group': ['system:masters'] }, [
        users,
      ]),
    ).toThrow('is forbidden')
  })

  test('may be limited to what it is used for', () => {
    const own = 'authentication.k8s.io'
    const limited = [
      { verbs: ['impersonate:user-info'], apiGroups: [own], resources: ['users', 'groups'] },
      { verbs: ['impersonate-on:user-info:list'], apiGroups: [''], resources: ['pods'] },
    ]
    const [rule] = limited
    const asked = { 'impersonate-user': ['auditor'], 'impersonate-group': ['readers'] }
    expect(act(nobody, asked, limited)).toEqual({
      name: 'auditor',
      groups: ['readers', 'system:authenticated'],
    })
    expect(() => act(nobody, asked, rule === undefined ? [] : [rule])).toThrow('is forbidden')
    const masters = { ...asked, 'impersonate-group': ['system:masters'] }
    expect(() => act(nobody, masters, limited)).toThrow(
      'impersonating the system:masters group is not allowed',
    )
    const account = { 'impersonate-user': ['system:serviceaccount:agents:runner'] }
    expect(() => act(nobody, account, limited)).toThrow('impersonate-on:serviceaccount:list')
  })

  test('needs a user before anything else', () => {
    expect(() => act(admin, { 'impersonate-group': ['readers'] })).toThrow(
      'requested impersonation without impersonating a user name',
    )
  })
})
