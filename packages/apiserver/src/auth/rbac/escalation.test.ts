import { describe, expect, test } from 'vitest'
import type { AdmissionAttributes } from '../../rest/admission.ts'
import { rbacAuthorizer } from './authorizer.ts'
import { escalationCheck } from './escalation.ts'
import { missingRules, ruleText } from './missing-rules.ts'
import type { Policy, PolicyRule, Role } from './policy.ts'

const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }
const secrets: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }

describe('missing rules', () => {
  test.each<{ because: string; owned: PolicyRule[]; wanted: PolicyRule[]; missing: string[] }>([
    { because: 'the same is enough', owned: [readPods], wanted: [readPods], missing: [] },
    {
      because: 'several rules may give it together',
      owned: [
        { ...readPods, verbs: ['get'] },
        { ...readPods, verbs: ['list'] },
      ],
      wanted: [readPods],
      missing: [],
    },
    {
      because: 'verbs of one resource are reported together',
      owned: [],
      wanted: [readPods],
      missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}'],
    },
    {
      because: 'a rule for one name does not cover all names',
      owned: [{ ...secrets, resourceNames: ['mine'] }],
      wanted: [secrets],
      missing: ['{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
    },
    {
      because: 'a rule for all names covers each name',
      owned: [secrets],
      wanted: [{ ...secrets, resourceNames: ['mine'] }],
      missing: [],
    },
    {
      because: 'any parent of a subresource may be meant',
      owned: [{ ...readPods, resources: ['*/scale'] }],
      wanted: [{ ...readPods, resources: ['jobs/scale', 'jobs'] }],
      missing: ['{APIGroups:[""], Resources:["jobs"], Verbs:["get" "list"]}'],
    },
    {
      because: 'paths are covered by those above them',
      owned: [{ verbs: ['get'], nonResourceURLs: ['/metrics/*'] }],
      wanted: [{ verbs: ['get'], nonResourceURLs: ['/metrics/x', '/logs'] }],
      missing: ['{NonResourceURLs:["/logs"], Verbs:["get"]}'],
    },
    {
      because: 'a star is more than everything that has a name',
      owned: [readPods, secrets],
      wanted: [{ ...readPods, resources: ['*'], verbs: ['get'] }],
      missing: ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}'],
    },
  ])('$because', ({ owned, wanted, missing }) => {
    expect(missingRules(owned, wanted).map(ruleText)).toEqual(missing)
  })
})

describe('a rule whose lists multiply to more parts than memory holds', () => {
  const many = (letter: string) => Array.from({ length: 1000 }, (_, index) => `${letter}${index}`)
  const wanted: PolicyRule = {
    ...{ verbs: many('v'), apiGroups: many('g'), resources: many('r'), resourceNames: many('n') },
  }

  test('is missing unless one rule allows all of it', () => {
    const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }
    expect(missingRules([], [wanted])).toEqual([wanted])
    expect(missingRules([readPods, all], [wanted])).toEqual([])
    expect(missingRules([wanted], [wanted])).toEqual([])
    for (const list of ['verbs', 'apiGroups', 'resources', 'resourceNames'] as const) {
      const less = { ...wanted, [list]: many('x') }
      expect(missingRules([less], [wanted]), list).toEqual([wanted])
    }
  })

  test('does not let others pass that are beside it', () => {
    expect(missingRules([wanted], [wanted, secrets])).toEqual([secrets])
  })
})

const editor = { name: 'editor', groups: ['system:authenticated'] }

function check(
  rules: PolicyRule[],
  plural: string,
  object: object,
  more: { old?: object; groups?: string[]; roles?: Role[] } = {},
): void {
  const policy: Policy = {
    clusterRoles: [{ metadata: { name: 'own' }, rules }],
    roles: [],
    clusterRoleBindings: [
      {
        metadata: { name: 'own' },
        roleRef: { kind: 'ClusterRole', name: 'own' },
        subjects: [{ kind: 'User', name: 'editor' }],
      },
    ],
    roleBindings: [],
  }
  const findRole = (_namespace: string, name: string) =>
    more.roles?.find(({ metadata }) => metadata.name === name)
  const attributes = {
    operation: more.old === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: 'rbac.authorization.k8s.io', plural },
    subresource: '',
    namespace: 'agents',
    name: 'it',
    object: { metadata: { name: 'it' }, ...object },
    old: more.old === undefined ? undefined : { metadata: { name: 'it' }, ...more.old },
    context: { user: { ...editor, groups: more.groups ?? editor.groups } },
  }
  escalationCheck(rbacAuthorizer(policy), findRole).admit(
    attributes as unknown as AdmissionAttributes,
  )
}

describe('privilege escalation is denied', () => {
  const escalate = { verbs: ['escalate'], apiGroups: ['*'], resources: ['roles'] }
  const bind = { verbs: ['bind'], apiGroups: ['*'], resources: ['clusterroles'] }
  const roleRef = { kind: 'ClusterRole', name: 'reader' }
  const roles = [{ metadata: { name: 'reader' }, rules: [secrets] }]

  test('by a role', () => {
    expect(() => check([readPods], 'roles', { rules: [secrets] })).toThrow(
      'roles.rbac.authorization.k8s.io "it" is forbidden: user "editor" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    )
    expect(() => check([secrets], 'roles', { rules: [secrets] })).not.toThrow()
  })

  test('by an aggregated role', () => {
    const aggregationRule = { clusterRoleSelectors: [{}] }
    const message = 'must have cluster-admin privileges to use the aggregationRule'
    expect(() => check([], 'clusterroles', { aggregationRule })).toThrow(message)
    expect(() => check([], 'clusterroles', {}, { old: { aggregationRule } })).toThrow(message)
  })

  test('by a binding', () => {
    expect(() => check([], 'rolebindings', { roleRef }, { roles })).toThrow('is forbidden')
    expect(() => check([secrets], 'rolebindings', { roleRef }, { roles })).not.toThrow()
    expect(() => check([secrets], 'rolebindings', { roleRef })).toThrow('"reader" not found')
  })

  test.each([
    { because: 'superusers have everything', rules: [], groups: ['system:masters'] },
    { because: 'the verb escalate stands for it', rules: [escalate] },
    { because: 'the garbage collector has to do its work', rules: [], old: { rules: [secrets] } },
  ])('but $because', ({ rules, ...more }) => {
    expect(() => check(rules, 'roles', { rules: [secrets] }, more)).not.toThrow()
  })

  test('unless the user has the verb bind', () => {
    expect(() => check([bind], 'rolebindings', { roleRef }, { roles })).not.toThrow()
  })
})
