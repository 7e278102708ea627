import type { Json } from '@agents/crd'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type PolicyServer,
  rulesFor,
  startPolicyServer,
  tenantToken,
  validating,
  validatingBindings,
} from './testing/policy-server.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const tenant = { token: tenantToken }

let policies: PolicyServer
const { send, bind }: Pick<PolicyServer, 'send' | 'bind'> = {
  send: (...request) => policies.send(...request),
  bind: (...policy) => policies.bind(...policy),
}

beforeAll(async () => {
  policies = await startPolicyServer()
  await send('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'User', name: 'tenant', apiGroup: 'rbac.authorization.k8s.io' }],
  })
})
afterEach(() => policies.clear())
afterAll(() => policies.stop())

const podRule = { operations: ['*'], apiGroups: [''], resources: ['pods'] }
function map(name: string, data: Json = {}) {
  return { metadata: { name }, data }
}
function validations(expression: string, rest: object = {}) {
  return {
    validations: [{ expression, ...rest }],
  }
}

describe('a policy', () => {
  test('denies requests that violate its expression, even of administrators', async () => {
    await bind('no-x', 'configmaps', validations("object.metadata.name != 'x'"))
    const answer = await send('POST', maps, map('x'))
    expect(answer).toMatchObject({
      code: 422,
      body: {
        reason: 'Invalid',
        message:
          "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'no-x' with binding 'no-x' denied request: failed expression: object.metadata.name != 'x'",
        details: { name: 'x', kind: 'configmaps' },
      },
    })
    expect((await send('POST', maps, map('y'))).code).toBe(201)
  })

  test('reports its messageExpression, message and reason', async () => {
    await bind(
      'why',
      'configmaps',
      validations('false', {
        message: 'fixed',
        messageExpression: "'not ' + request.name",
        reason: 'Forbidden',
      }),
    )
    expect(await send('POST', maps, map('x'))).toMatchObject({
      code: 403,
      body: { reason: 'Forbidden', message: expect.stringMatching(/denied request: not x$/) },
    })
  })

  test('warns instead of denying with the action Warn', async () => {
    await bind('warns', 'configmaps', validations('false', { message: 'odd' }), {
      validationActions: ['Warn', 'Audit'],
    })
    expect(await send('POST', `${maps}?dryRun=All`, map('x'))).toMatchObject({
      code: 201,
      warnings: [
        "Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns': odd",
      ],
    })
  })

  test.each([
    { failurePolicy: 'Fail', code: 422 },
    { failurePolicy: 'Ignore', code: 201 },
  ])('that cannot be evaluated applies its failurePolicy $failurePolicy', async (row) => {
    const { failurePolicy, code } = row
    await bind('fails', 'configmaps', { ...validations('object.none == 1'), failurePolicy })
    const answer = await send('POST', `${maps}?dryRun=All`, map('x'))
    expect(answer.code).toBe(code)
  })

  test('can use the authorizer for the user of the request', async () => {
    const may = "authorizer.group('').resource('secrets').namespace('kube-system').check('get')"
    await bind('asks', 'configmaps', validations(`${may}.allowed()`))
    expect((await send('POST', `${maps}?dryRun=All`, map('x'))).code).toBe(201)
    expect((await send('POST', `${maps}?dryRun=All`, map('x'), tenant)).code).toBe(422)
  })

  test('applies to every verb that writes an object', async () => {
    await send('POST', maps, map('kept', { a: '1' }))
    await bind('closed', 'configmaps', {
      variables: [{ name: 'name', expression: 'has(object.data) ? object : oldObject' }],
      validations: [{ expression: "request.operation == 'CREATE'", reason: 'Forbidden' }],
    })
    const merge = { type: 'application/merge-patch+json' }
    const apply = { type: 'application/apply-patch+yaml' }
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...map('kept', { b: '2' }) }
    const answers = [
      await send('PUT', `${maps}/kept`, map('kept')),
      await send('PATCH', `${maps}/kept`, { data: { b: '2' } }, merge),
      await send('PATCH', `${maps}/kept?fieldManager=me`, applied, apply),
      await send('DELETE', `${maps}/kept`),
      await send('DELETE', maps),
      await send('PATCH', `${maps}/kept?dryRun=All`, { data: { b: '2' } }, merge),
    ]
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 403))
    expect((await send('GET', `${maps}/kept`)).body.data).toEqual({ a: '1' })
  })

  test('uses the params that its binding selects', async () => {
    await send('POST', maps, { ...map('limits', { max: '3' }) })
    await bind(
      'limited',
      'secrets',
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        ...validations('size(object.metadata.name) <= int(params.data.max)'),
      },
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    )
    const secrets = '/api/v1/namespaces/default/secrets?dryRun=All'
    expect((await send('POST', secrets, { metadata: { name: 'abc' } })).code).toBe(201)
    expect((await send('POST', secrets, { metadata: { name: 'abcd' } })).code).toBe(422)
    await send('DELETE', `${maps}/limits`)
    expect((await send('POST', secrets, { metadata: { name: 'abc' } })).body.message).toContain(
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    )
  })

  test('applies to bodies that are too large for the main thread', async () => {
    // The first such request starts the thread, which must see later writes too.
    const large = (name: string) => {
      const keys = Array.from({ length: 3_000 }, (_one, index) => [`k${index}`, 'v'])
      return map(name, Object.fromEntries(keys) as Json)
    }
    expect((await send('POST', `${maps}?dryRun=All`, large('x'))).code).toBe(201)
    await bind('no-large', 'configmaps', validations("object.metadata.name != 'x'"))
    expect((await send('POST', maps, large('x'))).code).toBe(422)
    expect((await send('POST', `${maps}?dryRun=All`, large('large'))).code).toBe(201)
    await policies.bindMutation('marks', 'configmaps', {
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{data: {"marked": "yes"}}' },
        },
      ],
    })
    const { body } = await send('POST', `${maps}?dryRun=All`, large('large'))
    expect(body.data).toMatchObject({ marked: 'yes' })
  })

  test('does not apply to policies, so that administrators cannot be locked out', async () => {
    await bind('all', ['*', '*.*'], validations('false'))
    expect((await send('POST', maps, map('x'))).code).toBe(422)
    expect((await send('DELETE', `${validating}/all`)).code).toBe(200)
    expect((await send('POST', `${maps}?dryRun=All`, map('x'))).code).toBe(201)
  })

  test('takes effect when its binding is created, until it is deleted', async () => {
    await bind('brief', 'configmaps', validations('false'))
    expect((await send('POST', `${maps}?dryRun=All`, map('x'))).code).toBe(422)
    await send('DELETE', `${validatingBindings}/brief`)
    expect((await send('POST', `${maps}?dryRun=All`, map('x'))).code).toBe(201)
  })
})

test('a policy with type errors reports them in its status', async () => {
  await bind('typed', 'pods', validations('object.spec.odd == 1'))
  const path = `${validating}/typed`
  const status = async () => (await send('GET', path)).body.status
  // Only kinds of rules with a version are checked.
  await send(
    'PATCH',
    path,
    { spec: { matchConstraints: { resourceRules: [{ ...podRule, apiVersions: ['v1'] }] } } },
    { type: 'application/merge-patch+json' },
  )
  await expect.poll(status).toMatchObject({
    observedGeneration: 2,
    typeChecking: {
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: expect.stringContaining("undefined field 'odd'"),
        },
      ],
    },
  })
})

describe('an invalid policy', () => {
  const policy = (spec: object) => ({
    metadata: { name: 'wrong' },
    spec: { matchConstraints: { resourceRules: rulesFor('configmaps') }, ...spec },
  })
  test.each([
    {
      because: 'the expression does not compile',
      spec: validations('object.'),
      field: 'expression',
    },
    { because: 'a validation is not boolean', spec: validations('1'), field: 'expression' },
    {
      because: 'a messageExpression is not a string',
      spec: validations('true', { messageExpression: '1' }),
      field: 'messageExpression',
    },
    {
      because: 'the reason is unknown',
      spec: validations('true', { reason: 'Odd' }),
      field: 'reason',
    },
  ])('is rejected: $because', async ({ spec, field }) => {
    const answer = await send('POST', validating, policy(spec))
    expect(answer).toMatchObject({
      code: 422,
      body: { details: { causes: [{ field: `spec.validations[0].${field}` }] } },
    })
  })
})
