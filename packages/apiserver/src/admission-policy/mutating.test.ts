import type { Json } from '@agents/crd'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mutating, type PolicyServer, startPolicyServer } from './testing/policy-server.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const pods = '/api/v1/namespaces/default/pods'
const merge = { type: 'application/merge-patch+json' }

let policies: PolicyServer
const { send, bindMutation }: Pick<PolicyServer, 'send' | 'bindMutation'> = {
  send: (...request) => policies.send(...request),
  bindMutation: (...policy) => policies.bindMutation(...policy),
}

beforeAll(async () => {
  policies = await startPolicyServer()
})
afterEach(() => policies.clear())
afterAll(() => policies.stop())

function map(name: string, data: Json = {}) {
  return { metadata: { name }, data }
}
function apply(expression: string, reinvocationPolicy = 'Never') {
  return {
    reinvocationPolicy,
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  }
}
function patch(expression: string) {
  return {
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
  }
}

describe('a mutating policy', () => {
  test('sets fields that are stored without an owner', async () => {
    await bindMutation(
      'adds',
      'configmaps',
      apply('Object{data: {"by": request.userInfo.username}}'),
    )
    const { body } = await send('POST', maps, map('x', { a: '1' }))
    expect(body.data).toEqual({ a: '1', by: 'admin' })
    expect((await send('GET', `${maps}/x`)).body.data).toEqual({ a: '1', by: 'admin' })
    expect(JSON.stringify(body.metadata)).not.toContain('f:by')
    await send('DELETE', `${maps}/x`)
  })

  test('applies to patches and updates', async () => {
    await send('POST', maps, map('y', { a: '1' }))
    await bindMutation('stamps', 'configmaps', apply('Object{data: {"was": oldObject.data.a}}'))
    const patched = await send('PATCH', `${maps}/y`, { data: { a: '2' } }, merge)
    expect(patched.body.data).toEqual({ a: '2', was: '1' })
    const updated = await send('PUT', `${maps}/y`, map('y', { a: '3' }))
    expect(updated.body.data).toEqual({ a: '3', was: '2' })
    await policies.clear()
    await send('DELETE', `${maps}/y`)
  })

  test('and its conditions see the results of the policies and mutations before it', async () => {
    const mutation = (expression: string) => ({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression },
    })
    await bindMutation('first', 'configmaps', {
      reinvocationPolicy: 'Never',
      mutations: [
        mutation('Object{data: {"b": object.data.a + "b"}}'),
        mutation('Object{data: {"c": object.data.b + "c"}}'),
      ],
    })
    await bindMutation('second', 'configmaps', {
      ...apply('Object{data: {"d": object.data.c + "d"}}'),
      matchConditions: [{ name: 'ran', expression: '"c" in object.data' }],
    })
    const { body } = await send('POST', maps, map('z', { a: 'a' }))
    expect(body.data).toEqual({ a: 'a', b: 'ab', c: 'abc', d: 'abcd' })
    await send('DELETE', `${maps}/z`)
  })

  test('has its result validated and defaulted', async () => {
    await bindMutation(
      'invalid',
      'configmaps',
      patch('[JSONPatch{op: "add", path: "/metadata/labels", value: {"a b": "x"}}]'),
    )
    expect((await send('POST', maps, map('x'))).code).toBe(422)
    await bindMutation(
      'sidecar',
      'pods',
      apply(
        'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "more", image: "more"}]}}',
      ),
    )
    const pod = {
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'main', image: 'one' }] },
    }
    const { body } = await send('POST', `${pods}?dryRun=All`, pod)
    const { initContainers } = body.spec as { initContainers: object[] }
    // Defaults, and the token that admission mounts, come after the mutation.
    expect(initContainers).toMatchObject([
      { name: 'more', imagePullPolicy: 'Always', volumeMounts: [{ readOnly: true }] },
    ])
  })

  test('denies the request if it cannot be applied', async () => {
    await bindMutation('misses', 'configmaps', patch('[JSONPatch{op: "remove", path: "/none"}]'))
    expect(await send('POST', maps, map('x'))).toMatchObject({
      code: 403,
      body: {
        reason: 'Invalid',
        message: expect.stringMatching(/^policy 'misses' with binding 'misses' denied request: /),
      },
    })
  })

  test('cannot change name, namespace or kind of an object', async () => {
    await bindMutation(
      'moves',
      'configmaps',
      patch('[JSONPatch{op: "replace", path: "/metadata/namespace", value: "kube-system"}]'),
    )
    expect((await send('POST', maps, map('x'))).code).toBe(400)
    await policies.clear()
    await bindMutation(
      'turns',
      'configmaps',
      patch('[JSONPatch{op: "replace", path: "/kind", value: "Secret"}]'),
    )
    expect((await send('POST', maps, map('x'))).code).toBe(500)
    await policies.clear()
    await send('POST', maps, map('kept'))
    await bindMutation(
      'renames',
      'configmaps',
      patch('[JSONPatch{op: "replace", path: "/metadata/name", value: "other"}]'),
    )
    expect((await send('PATCH', `${maps}/kept`, { data: { a: '1' } }, merge)).code).toBe(422)
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/kept'
    await bindMutation(
      'renames-leases',
      'leases.coordination.k8s.io',
      patch('[JSONPatch{op: "replace", path: "/metadata/name", value: "other"}]'),
    )
    const put = { metadata: { name: 'kept' }, spec: { holderIdentity: 'me' } }
    expect((await send('PUT', lease, put)).code).toBe(400)
    expect((await send('GET', lease)).code).toBe(404)
    await policies.clear()
    await send('DELETE', `${maps}/kept`)
  })

  test('runs again after others with reinvocation', async () => {
    const count = 'has(object.data.n) ? object.data.n + "+" : "1"'
    await bindMutation('a-counts', 'configmaps', apply(`Object{data: {"n": ${count}}}`, 'IfNeeded'))
    await bindMutation('b-adds', 'configmaps', apply('Object{data: {"b": "1"}}'))
    const { body } = await send('POST', `${maps}?dryRun=All`, map('x', { a: '' }))
    expect(body.data).toEqual({ a: '', b: '1', n: '1+' })
  })

  test('is rejected if it is invalid', async () => {
    const policy = (spec: object) => ({
      metadata: { name: 'wrong' },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              operations: ['DELETE'],
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['configmaps'],
            },
          ],
        },
        ...spec,
      },
    })
    const answer = await send('POST', mutating, policy(apply('1')))
    const { causes } = answer.body.details as { causes: { field: string }[] }
    expect(causes.map(({ field }) => field)).toEqual([
      'spec.matchConstraints.resourceRules.operations',
      'spec.mutations[0].applyConfiguration.expression',
    ])
  })
})
