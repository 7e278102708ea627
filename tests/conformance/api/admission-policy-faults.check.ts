import { describe } from 'vitest'
import type { Fields } from './client.ts'
import {
  mutatingBindingPath,
  mutatingPath,
  validatingBindingPath,
  validatingPath,
  validations,
} from './policies.ts'
import { conformance, type Row } from './suite.ts'

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

function constraints(rest: Fields = {}): Fields {
  return {
    matchConstraints: { resourceRules: [{ ...rule, ...rest }] },
  }
}

const nothing = '[JSONPatch{op: "test", path: "/kind", value: "Pod"}]'

function named(spec: Fields): Fields {
  return { metadata: { name: 'bad' }, spec }
}

function created(path: string) {
  return `${path}?dryRun=All`
}

conformance('admission-policy-faults', ({ sameEach }) => {
  const policy = (what: string, spec: Fields, code = 422): Row => [
    what,
    code,
    'POST',
    created(validatingPath),
    named({ ...constraints(), ...validations('true'), ...spec }),
  ]
  const mutating = (what: string, spec: Fields, code = 422): Row => [
    `mutation: ${what}`,
    code,
    'POST',
    created(mutatingPath),
    named({
      ...constraints(),
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: nothing } }],
      ...spec,
    }),
  ]
  const binding = (what: string, spec: Fields, code = 422): Row => [
    `binding: ${what}`,
    code,
    'POST',
    created(validatingBindingPath),
    named({ policyName: 'some', validationActions: ['Deny'], ...spec }),
  ]
  const paramRef = { name: 'a', parameterNotFoundAction: 'Deny' }

  describe('a policy', () => {
    sameEach([
      policy('that is fine', {}, 201),
      policy('without constraints', { matchConstraints: null }),
      policy('without rules', { matchConstraints: {} }),
      policy('without validations', { validations: [] }),
      policy('with an empty rule', { matchConstraints: { resourceRules: [{}] } }),
      policy('with an unknown operation', constraints({ operations: ['LOOK'] })),
      policy('with a star among operations', constraints({ operations: ['*', 'CREATE'] })),
      policy('with a star among groups', constraints({ apiGroups: ['*', 'apps'] })),
      policy('with an empty version', constraints({ apiVersions: [''] })),
      policy('with an empty resource', constraints({ resources: [''] })),
      policy('with all and some subresources', constraints({ resources: ['a/*', 'a/b'] })),
      policy('with a star among resources', constraints({ resources: ['*', 'a'] })),
      policy('with everything and more', constraints({ resources: ['*/*', 'a'] })),
      policy('with an unknown scope', constraints({ scope: 'Odd' })),
      policy('with a wrong name', constraints({ resourceNames: ['a/b', 'c', 'c'] })),
      policy('with an unknown failure policy', { failurePolicy: 'Odd' }),
      policy('with an unknown match policy', {
        matchConstraints: { resourceRules: [rule], matchPolicy: 'Odd' },
      }),
      policy('with a wrong selector', {
        matchConstraints: {
          resourceRules: [rule],
          objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
        },
      }),
      policy('with an empty param kind', { paramKind: {} }),
      policy('with a wrong param kind', {
        paramKind: { apiVersion: 'A.b/v1/x', kind: '1x' },
      }),
      policy('with a param kind without a version', {
        paramKind: { apiVersion: 'apps/', kind: 'Deployment' },
      }),
      policy('with a condition without anything', { matchConditions: [{}] }),
      policy('with a condition twice', {
        matchConditions: [
          { name: 'a', expression: 'true' },
          { name: 'a', expression: 'true' },
        ],
      }),
      policy('with a condition of a wrong name', {
        matchConditions: [{ name: 'a/b/c', expression: 'true' }],
      }),
      policy('with a condition that is text', {
        matchConditions: [{ name: 'a', expression: "'x'" }],
      }),
      policy('with a condition that uses variables', {
        variables: [{ name: 'a', expression: 'true' }],
        matchConditions: [{ name: 'a', expression: 'variables.a' }],
      }),
      policy('with too many conditions', {
        matchConditions: Array.from({ length: 65 }, (_, n) => ({
          name: `n${n}`,
          expression: 'true',
        })),
      }),
      policy('with a variable without anything', { variables: [{}] }),
      policy('with a variable of a reserved name', {
        variables: [{ name: 'if', expression: 'true' }],
      }),
      policy('with a variable that does not compile', {
        variables: [{ name: 'a', expression: 'none' }],
      }),
      policy('with an unknown variable', {
        variables: [{ name: 'a', expression: 'true' }],
        ...validations('variables.b'),
      }),
      policy('with variables that it has not', validations('variables.b')),
      policy('with params that it has not', validations('params.x == 1')),
      policy(
        'with params',
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          ...validations('params.data.x == "1"'),
        },
        201,
      ),
      policy('without an expression', validations(' ')),
      policy('that does not parse', validations('object.')),
      policy('that is a number', validations('1 + 1')),
      policy('that is anything', validations('object.a')),
      policy('with an unknown function', validations('object.guess()')),
      policy('with an unknown field of the request', validations('request.odd == 1')),
      policy('with a message of spaces', validations('true', { message: ' ' })),
      policy('with a message on two lines', validations('true', { message: 'a\nb' })),
      policy(
        'with a message expression of spaces',
        validations('true', { messageExpression: ' ' }),
      ),
      policy('with a message that is a number', validations('true', { messageExpression: '1' })),
      policy(
        'with a message that asks the authorizer',
        validations('true', { messageExpression: "authorizer.path('/').check('get').reason()" }),
      ),
      policy('with an unknown reason', validations('true', { reason: 'Odd' })),
      policy('with an annotation without anything', { auditAnnotations: [{}] }),
      policy('with an annotation twice', {
        auditAnnotations: [
          { key: 'a', valueExpression: "'x'" },
          { key: 'a', valueExpression: "'x'" },
        ],
      }),
      policy('with an annotation that is a number', {
        auditAnnotations: [{ key: 'a', valueExpression: '1' }],
      }),
      [
        'of a reserved name',
        201,
        'POST',
        created(validatingPath),
        {
          metadata: { name: 'a.static.k8s.io' },
          spec: { ...constraints(), ...validations('true') },
        },
      ],
    ])
  })

  describe('a binding', () => {
    sameEach([
      binding('that is fine', {}, 201),
      binding('without a policy', { policyName: '' }),
      binding('of a wrong policy', { policyName: 'A b' }),
      binding('without actions', { validationActions: [] }),
      binding('with an unknown action', { validationActions: ['Odd'] }),
      binding('with an action twice', { validationActions: ['Warn', 'Warn'] }),
      binding('that denies and warns', { validationActions: ['Deny', 'Warn'] }),
      binding('with an empty reference', { paramRef: {} }),
      binding('with a name and a selector', { paramRef: { ...paramRef, selector: {} } }),
      binding('with a wrong name', { paramRef: { ...paramRef, name: 'a/b' } }),
      binding('with an unknown action for params', {
        paramRef: { name: 'a', parameterNotFoundAction: 'Odd' },
      }),
      binding('with an empty match', { matchResources: {} }, 201),
      binding('with a wrong match', { matchResources: { resourceRules: [{}] } }),
      [
        'binding: of a mutation for deletes',
        422,
        'POST',
        created(mutatingBindingPath),
        named({
          policyName: 'some',
          matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] },
        }),
      ],
    ])
  })

  describe('a mutation', () => {
    const patch = (expression: string): Fields => ({
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    })
    const apply = (expression: string): Fields => ({
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
    })
    sameEach([
      mutating('that is fine', {}, 201),
      mutating('for deletes', constraints({ operations: ['DELETE'] })),
      mutating('of nothing', { mutations: [] }),
      mutating('without a reinvocation policy', { reinvocationPolicy: '' }),
      mutating('with an unknown reinvocation policy', { reinvocationPolicy: 'Odd' }),
      mutating('without a type', { mutations: [{}] }),
      mutating('of an unknown type', { mutations: [{ patchType: 'Odd' }] }),
      mutating('without its patch', { mutations: [{ patchType: 'JSONPatch' }] }),
      mutating('without its configuration', { mutations: [{ patchType: 'ApplyConfiguration' }] }),
      mutating('with both', {
        mutations: [
          {
            patchType: 'JSONPatch',
            jsonPatch: { expression: '[]' },
            applyConfiguration: { expression: 'Object{}' },
          },
        ],
      }),
      mutating('of an empty list', patch('[]')),
      mutating('of spaces', patch(' ')),
      mutating('that does not parse', patch('[')),
      mutating('that is a number', patch('1')),
      mutating('that is an object in place of a patch', patch('Object{}')),
      mutating('that is a patch in place of an object', apply('[]')),
      mutating('of an object of another type', apply('Object.spec{}')),
      mutating('with a field', apply('Object{spec: Object.spec{replicas: 1}}'), 201),
      mutating('with an operation', patch('[JSONPatch{op: "add", path: "/a", value: 1}]'), 201),
      mutating('with an unknown field of an operation', patch('[JSONPatch{odd: 1}]')),
    ])
  })
})
