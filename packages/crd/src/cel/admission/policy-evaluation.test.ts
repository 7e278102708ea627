import { describe, expect, test } from 'vitest'
import { createPolicyCompiler } from './policy-compiler.ts'
import { policyInput, startPolicyEvaluation } from './policy-evaluation.ts'
import { everything, input, recordingAuthorizer, runPolicy } from './testing/policy-run.ts'

const object = {
  apiVersion: 'apps/v1',
  metadata: { name: 'web', labels: { 'a.b/c-d': 'x' }, annotations: {} },
  spec: { replicas: 3, ratio: 0.5, paused: null, ports: [80, '443'], limits: { cpu: '500m' } },
}

function resultOf(...args: Parameters<typeof runPolicy>): unknown {
  const { outcome } = runPolicy(...args)
  return outcome.kind === 'value' ? outcome.value : outcome.error
}

describe('an object without a schema', () => {
  test.each([
    ['object.spec.replicas == 3 && object.spec.replicas + 1 == 4'],
    ["object.metadata.labels['a.b/c-d'] == 'x'"],
    ["object.spec.ports.exists(p, p == '443') && object.spec.ports[0] == 80"],
    ['has(object.spec.paused) && object.spec.paused == null'],
    ["!has(object.spec.other) && object.spec.?other.orValue('y') == 'y'"],
    ['object.?status.?phase.hasValue() == false'],
    ["quantity(object.spec.limits.cpu).isLessThan(quantity('1'))"],
    ['object.spec.ratio < 1.0 && type(object.spec.ratio) == double'],
    ['oldObject == null && object != null'],
    ["object.spec.limits == {'cpu': '500m'} && {'cpu': '500m'} == object.spec.limits"],
    ['object.spec.limits != 1 && object.spec.ports != 2'],
    ['type(object) == map && object.spec.all(k, k.size() > 0)'],
    ["object.spec.map(k, k).exists(k, k == 'ratio')"],
  ])('%s', (source) => {
    expect(resultOf(source, { object })).toBe(true)
  })

  test.each([
    ['object.spec.missing == 1', 'no such key: missing'],
    ["object.metadata.labels.a__dot__b == 'x'", 'no such key: a__dot__b'],
    ["object.spec.replicas.startsWith('a')", 'no such overload'],
    ['oldObject.spec.replicas == 3', 'no such key: spec'],
    ['object.spec.missing == null', 'no such key: missing'],
    ['null != object.spec.missing', 'no such key: missing'],
    ["object.spec.ports['a'] == 1", "unsupported index type 'string' in list"],
  ])('%s fails', (source, message) => {
    expect(resultOf(source, { object })).toBe(
      `expression '${source}' resulted in error: ${message}`,
    )
  })
})

describe('the request', () => {
  test.each([
    ["request.kind.kind == 'Deployment' && request.requestKind.version == 'v1beta1'"],
    ["!has(request.subResource) && request.requestSubResource == 'scale'"],
    ["request.userInfo.username == 'ann' && 'devs' in request.userInfo.groups"],
    ["request.userInfo.extra['scopes'] == ['a', 'b'] && !has(request.userInfo.uid)"],
    ["request.options.kind == 'UpdateOptions' && !request.dryRun"],
    ["request.name == 'web' && request.namespace == 'shop' && request.operation == 'UPDATE'"],
    ['namespaceObject == null && params == null'],
  ])('%s', (source) => {
    expect(resultOf(source, { object })).toBe(true)
  })

  test('exposes only the stable fields of the namespace', () => {
    const namespaceObject = {
      metadata: { name: 'shop', labels: { team: 'a' }, ownerReferences: [], managedFields: [] },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    }
    const source = `namespaceObject.metadata.labels.team == 'a' && namespaceObject.status.phase == 'Active' &&
      !('ownerReferences' in dyn(namespaceObject).metadata)`
    expect(resultOf(source, { namespaceObject })).toBe(true)
  })
})

describe('the authorizer', () => {
  test('gets the attributes of the check', () => {
    const authorizer = recordingAuthorizer(() => true)
    const source = `authorizer.group('').resource('secrets').namespace('shop').name('token').check('get').allowed()`
    expect(runPolicy(source, { authorizer })).toEqual({
      outcome: { kind: 'value', value: true },
      cost: 350_006,
    })
    expect(authorizer.checks).toEqual([
      {
        kind: 'resource',
        user: { username: 'ann', uid: '', groups: ['devs'], extra: { scopes: ['a', 'b'] } },
        verb: 'get',
        group: '',
        version: '*',
        resource: 'secrets',
        subresource: '',
        namespace: 'shop',
        name: 'token',
        fieldSelector: '',
        labelSelector: '',
      },
    ])
  })

  test('supports the request resource, paths, service accounts and selectors', () => {
    const authorizer = recordingAuthorizer(({ verb }) => verb === 'custom')
    const check = (source: string) => resultOf(source, { authorizer })
    expect(check("authorizer.requestResource.check('custom').allowed()")).toBe(true)
    expect(check("authorizer.path('/healthz').check('get').reason() == 'because'")).toBe(true)
    const account =
      "authorizer.serviceAccount('shop', 'runner').group('apps').resource('deployments')"
    const selected = `${account}.subresource('scale').fieldSelector('a=b').labelSelector('c=d')`
    expect(check(`${selected}.check('list').errored()`)).toBe(false)
    expect(authorizer.checks).toMatchObject([
      {
        kind: 'resource',
        group: 'apps',
        resource: 'deployments',
        subresource: 'scale',
        name: 'web',
      },
      { kind: 'path', path: '/healthz', verb: 'get', user: { username: 'ann' } },
      {
        user: {
          username: 'system:serviceaccount:shop:runner',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
        },
        subresource: 'scale',
        fieldSelector: 'a=b',
        labelSelector: 'c=d',
      },
    ])
  })

  test.each([
    ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
    ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
    ["authorizer.path('/a') == authorizer.path('/a')", 'no such overload'],
    ["authorizer.serviceAccount('a.b', 'x') == null", 'Invalid service account namespace'],
    ["authorizer.serviceAccount('a', 'x@') == null", 'Invalid service account name'],
  ])('%s fails', (source, message) => {
    const authorizer = recordingAuthorizer(() => true)
    expect(resultOf(source, { authorizer })).toBe(
      `expression '${source}' resulted in error: ${message}`,
    )
  })

  test('is called at most twice in an expression', () => {
    const authorizer = recordingAuthorizer(() => true)
    const check = "authorizer.requestResource.check('get').allowed()"
    const source = `${check} && ${check} && ${check}`
    expect(resultOf(source, { authorizer })).toBe(
      `expression '${source}' resulted in error: operation cancelled: actual cost limit exceeded`,
    )
  })

  test('is not available if the caller provides none', () => {
    const source = "authorizer.path('/a').check('get').allowed()"
    expect(resultOf(source)).toBe(
      `expression '${source}' resulted in error: no such attribute(s): authorizer`,
    )
  })
})

describe('variables', () => {
  test('are evaluated once, on first use', () => {
    const authorizer = recordingAuthorizer(() => true)
    const variables = {
      allowed: "authorizer.path('/a').check('get').allowed()",
      broken: 'object.missing',
    }
    const { outcome, cost } = runPolicy(
      'variables.allowed && variables.allowed && has(variables.allowed)',
      { authorizer, object },
      variables,
    )
    expect(outcome).toEqual({ kind: 'value', value: true })
    expect(authorizer.checks).toHaveLength(1)
    expect(cost).toBe(350_003 + 5)
  })

  test('can use earlier ones', () => {
    const variables = { base: 'object.spec.replicas', twice: 'variables.base * 2' }
    expect(resultOf('variables.twice == 6', { object }, variables)).toBe(true)
  })

  test('that fail are named in the error', () => {
    const source = 'variables.outer == 1'
    const variables = { inner: 'object.missing', outer: 'variables.inner' }
    expect(resultOf(source, { object }, variables)).toBe(
      `expression '${source}' resulted in error: composited variable "outer" fails to evaluate: composited variable "inner" fails to evaluate: no such key: missing`,
    )
  })

  test('that do not compile fail when they are used', () => {
    const source = 'variables.bad == 1'
    expect(resultOf(source, { object }, { bad: '1 +' })).toMatch(
      /^expression 'variables\.bad == 1' resulted in error: composited variable "bad" fails to compile: compilation failed: ERROR: /,
    )
  })
})

describe('the budget', () => {
  const check = "authorizer.requestResource.check('get').allowed()"

  test('is shared by expressions and the variables that they use', () => {
    const compiler = createPolicyCompiler()
    compiler.addVariable('twice', `${check} && ${check}`, everything)
    const evaluation = startPolicyEvaluation(
      compiler,
      policyInput({ ...input, authorizer: recordingAuthorizer(() => true) }),
      800_000,
    )
    const first = compiler.compile('variables.twice', 'bool', everything)
    expect(evaluation.evaluate(first).kind).toBe('value')
    expect(evaluation.remaining).toBe(800_000 - 700_004 - 2)
    // A cached value costs only its selection.
    expect(evaluation.evaluate(first).kind).toBe('value')
    expect(evaluation.evaluate(compiler.compile(check, 'bool', everything))).toEqual({
      kind: 'stopped',
      error:
        'validation failed due to running out of cost budget, no further validation rules will be run',
    })
    expect(evaluation.remaining).toBe(-1)
  })

  test('an expression that does not compile is an error by itself', () => {
    expect(resultOf('object.spec.a', { object })).toBe(
      'compilation error: must evaluate to bool but got dyn',
    )
  })
})
