import { describe, expect, test } from 'vitest'
import { rbacAuthorizer } from './authorizer.ts'
import type { AccessAttributes, Policy, PolicyRule } from './policy.ts'

function wanted(more: Partial<AccessAttributes>): AccessAttributes {
  return {
    verb: 'get',
    isResource: true,
    group: '',
    resource: 'pods',
    subresource: '',
    namespace: 'agents',
    name: 'run-1',
    path: '',
    ...more,
  }
}

const operator = { name: 'operator', groups: ['on-call'] }
const runner = { name: 'system:serviceaccount:agents:runner', groups: [] }

function policy(rules: PolicyRule[], more: Partial<Policy> = {}): Policy {
  return {
    clusterRoles: [{ metadata: { name: 'reader' }, rules }],
    roles: [{ metadata: { name: 'local', namespace: 'agents' }, rules }],
    clusterRoleBindings: [],
    roleBindings: [
      {
        metadata: { name: 'readers', namespace: 'agents' },
        roleRef: { kind: 'ClusterRole', name: 'reader' },
        subjects: [
          { kind: 'User', name: 'operator' },
          { kind: 'ServiceAccount', name: 'runner' },
        ],
      },
    ],
    ...more,
  }
}

const getPods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }

describe('a rule', () => {
  test.each<{
    because: string
    rule: PolicyRule
    ask?: Partial<AccessAttributes>
    allowed: boolean
  }>([
    { because: 'it names the verb and the resource', rule: getPods, allowed: true },
    { because: 'it names another verb', rule: getPods, ask: { verb: 'list' }, allowed: false },
    { because: 'it names another group', rule: getPods, ask: { group: 'apps' }, allowed: false },
    {
      because: 'a resource does not cover its subresources',
      rule: getPods,
      ask: { subresource: 'log' },
      allowed: false,
    },
    {
      because: 'a subresource is named with its parent',
      rule: { ...getPods, resources: ['pods/log'] },
      ask: { subresource: 'log' },
      allowed: true,
    },
    {
      because: 'a subresource does not cover its parent',
      rule: { ...getPods, resources: ['pods/log'] },
      allowed: false,
    },
    {
      because: 'any parent of a subresource may be meant',
      rule: { ...getPods, resources: ['*/scale'] },
      ask: { subresource: 'scale' },
      allowed: true,
    },
    {
      because: 'a star covers resources and subresources',
      rule: { ...getPods, resources: ['*'] },
      ask: { subresource: 'log' },
      allowed: true,
    },
    {
      because: 'stars cover everything',
      rule: { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      ask: { verb: 'delete', group: 'apps' },
      allowed: true,
    },
    {
      because: 'it is limited to the name',
      rule: { ...getPods, resourceNames: ['run-1'] },
      allowed: true,
    },
    {
      because: 'it is limited to another name',
      rule: { ...getPods, resourceNames: ['run-2'] },
      allowed: false,
    },
    {
      because: 'a named rule does not cover a list',
      rule: { ...getPods, resourceNames: ['run-1'] },
      ask: { name: '' },
      allowed: false,
    },
    {
      because: 'a resource rule says nothing about paths',
      rule: { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      ask: { isResource: false, path: '/metrics' },
      allowed: false,
    },
    {
      because: 'it is in another namespace',
      rule: getPods,
      ask: { namespace: 'other' },
      allowed: false,
    },
    {
      because: 'a namespaced binding says nothing cluster-wide',
      rule: getPods,
      ask: { namespace: '' },
      allowed: false,
    },
  ])('decides "$allowed" because $because', ({ rule, ask = {}, allowed }) => {
    expect(rbacAuthorizer(policy([rule])).decide(operator, wanted(ask)).allowed).toBe(allowed)
  })
})

describe('a binding', () => {
  const clusterWide = (kind: string, name: string, namespace?: string) =>
    policy([getPods, { verbs: ['get'], nonResourceURLs: ['/healthz', '/debug/*'] }], {
      roleBindings: [],
      clusterRoleBindings: [
        {
          metadata: { name: 'all' },
          roleRef: { kind: 'ClusterRole', name: 'reader' },
          subjects: [{ kind, name, ...(namespace ? { namespace } : {}) }],
        },
      ],
    })

  test('is the reason of the decision', () => {
    expect(rbacAuthorizer(policy([getPods])).decide(runner, wanted({}))).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by RoleBinding "readers/agents" of ClusterRole "reader" to ServiceAccount "runner/agents"',
    })
    expect(rbacAuthorizer(clusterWide('Group', 'on-call')).decide(operator, wanted({}))).toEqual({
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "on-call"',
    })
  })

  test('for the whole cluster holds in every namespace and for paths', () => {
    const { decide } = rbacAuthorizer(clusterWide('ServiceAccount', 'runner', 'agents'))
    const path = (text: string) => wanted({ isResource: false, path: text, namespace: '' })
    expect(decide(runner, wanted({ namespace: 'other' })).allowed).toBe(true)
    expect(decide(runner, path('/healthz')).allowed).toBe(true)
    expect(decide(runner, path('/debug/pprof')).allowed).toBe(true)
    expect(decide(runner, path('/metrics')).allowed).toBe(false)
  })

  test('of the cluster to a service account without a namespace allows nothing', () => {
    const { decide } = rbacAuthorizer(clusterWide('ServiceAccount', 'runner'))
    expect(decide(runner, wanted({ namespace: '' })).allowed).toBe(false)
  })

  test('to a missing role allows nothing and is reported', () => {
    const { decide } = rbacAuthorizer(policy([getPods], { clusterRoles: [] }))
    expect(decide(operator, wanted({}))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found',
    })
  })
})

test('a member of system:masters may do anything without roles', () => {
  const nothing = { clusterRoles: [], roles: [], clusterRoleBindings: [], roleBindings: [] }
  const { decide } = rbacAuthorizer(nothing)
  expect(
    decide({ name: 'root', groups: ['system:masters'] }, wanted({ verb: 'delete' })).allowed,
  ).toBe(true)
  expect(decide(operator, wanted({ verb: 'delete' })).allowed).toBe(false)
})
