import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ConfigMapKind, PodKind, ServiceAccountKind } from '../kind/builtin-kinds.ts'
import { key, object, serve } from '../testing/scripted-client.ts'
import { answerJson, failure } from '../testing/scripted-server.ts'
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  isRevisionTooLarge,
  KubeError,
} from '../transport/kube-error.ts'
import type { KubeClient } from './kube-client.ts'

describe('each verb is one request', () => {
  test.each<{
    because: string
    run: (client: KubeClient) => Promise<unknown>
    sent: string
    type?: string
    body?: unknown
  }>([
    {
      because: 'get',
      run: (c) => c.get(ConfigMapKind, key),
      sent: 'GET /api/v1/namespaces/team/configmaps/x',
    },
    {
      because: 'create fills in apiVersion and kind',
      run: (c) => c.create(ConfigMapKind, { metadata: key, data: {} }, { dryRun: true }),
      sent: 'POST /api/v1/namespaces/team/configmaps?fieldManager=tester&dryRun=All',
      type: 'application/json',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: {} },
    },
    {
      because: 'update of the status',
      run: (c) => c.update(ConfigMapKind, object, { subresource: 'status' }),
      sent: 'PUT /api/v1/namespaces/team/configmaps/x/status?fieldManager=tester',
      type: 'application/json',
      body: object,
    },
    {
      because: 'merge patch',
      run: (c) => c.patch(ConfigMapKind, key, { type: 'merge', body: { data: { a: null } } }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=tester',
      type: 'application/merge-patch+json',
      body: { data: { a: null } },
    },
    {
      because: 'JSON patch',
      run: (c) =>
        c.patch(ConfigMapKind, key, { type: 'json', body: [{ op: 'remove', path: '/data/a' }] }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=tester',
      type: 'application/json-patch+json',
      body: [{ op: 'remove', path: '/data/a' }],
    },
    {
      because: 'strategic patch',
      run: (c) => c.patch(ConfigMapKind, key, { type: 'strategic', body: {} }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=tester',
      type: 'application/strategic-merge-patch+json',
      body: {},
    },
    {
      because: 'apply forces by default, with the requested field manager',
      run: (c) => c.apply(ConfigMapKind, { metadata: key }, { fieldManager: 'other' }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=other&force=true',
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key },
    },
    {
      because: 'apply without force',
      run: (c) => c.apply(ConfigMapKind, { metadata: key }, { force: false }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=tester',
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key },
    },
    {
      because: 'delete without options',
      run: (c) => c.delete(ConfigMapKind, key),
      sent: 'DELETE /api/v1/namespaces/team/configmaps/x',
    },
    {
      because: 'delete with preconditions',
      run: (c) =>
        c.delete(ConfigMapKind, key, {
          gracePeriodSeconds: 0,
          propagationPolicy: 'Foreground',
          preconditions: { uid: 'u' },
        }),
      sent: 'DELETE /api/v1/namespaces/team/configmaps/x',
      type: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        preconditions: { uid: 'u' },
      },
    },
    {
      because: 'deleteCollection',
      run: (c) => c.deleteCollection(ConfigMapKind, { namespace: 'team', labelSelector: 'a=b' }),
      sent: 'DELETE /api/v1/namespaces/team/configmaps?labelSelector=a%3Db',
    },
    {
      because: 'scale',
      run: (c) => c.setScale(PodKind, key, 3),
      sent: 'PATCH /api/v1/namespaces/team/pods/x/scale',
      type: 'application/merge-patch+json',
      body: { spec: { replicas: 3 } },
    },
    {
      because: 'a token',
      run: (c) => c.createToken(key, { audiences: ['a'], expirationSeconds: 600 }),
      sent: `POST /api/v1/namespaces/team/${ServiceAccountKind.plural}/x/token`,
      type: 'application/json',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['a'], expirationSeconds: 600 },
      },
    },
    {
      because: 'an eviction',
      run: (c) => c.evict(key, { gracePeriodSeconds: 5 }),
      sent: 'POST /api/v1/namespaces/team/pods/x/eviction',
      type: 'application/json',
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: key,
        deleteOptions: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 5 },
      },
    },
    {
      because: 'a SubjectAccessReview',
      run: (c) => c.reviewAccess({ user: 'somebody', resourceAttributes: { verb: 'get' } }),
      sent: 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
      type: 'application/json',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: 'somebody', resourceAttributes: { verb: 'get' } },
      },
    },
  ])('$because', async ({ run, sent, type, body }) => {
    const urls: string[] = []
    const { client, server } = await serve(
      ({ method, path, query }, response) => {
        urls.push(`${method} ${path}${query.size > 0 ? `?${query}` : ''}`)
        answerJson(response, 200, object)
      },
      { fieldManager: 'tester', userAgent: 'tester/1' },
    )
    await run(client)
    expect(urls).toEqual([sent])
    const [request] = server.requests
    expect(request?.headers['user-agent']).toMatch(/^tester\/1 \(.*\) kubernetes\//)
    expect(request?.headers['content-type']).toBe(type)
    expect(request?.body === '' ? undefined : JSON.parse(request?.body ?? '')).toEqual(body)
  })
})

describe('responses', () => {
  test('delete distinguishes an object that still exists from a deleted one', async () => {
    const { client, server } = await serve((_, response) => answerJson(response, 200, object))
    expect(await client.delete(ConfigMapKind, key)).toEqual(object)
    server.script = (_, response) =>
      answerJson(response, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' })
    expect(await client.delete(ConfigMapKind, key)).toBeUndefined()
  })

  test('an object keeps its large integers in a round trip', async () => {
    const text = '{"metadata":{"namespace":"team","name":"x"},"spec":{"big":9223372036854775807}}'
    const { client, server } = await serve((_, response) => answerJson(response, 200, text))
    await client.update(ConfigMapKind, await client.get(ConfigMapKind, key))
    expect(server.requests.at(-1)?.body).toBe(text)
  })

  test('items of a list get the kind that built-in lists omit', async () => {
    const item = { metadata: key }
    const { client } = await serve((_, response) =>
      answerJson(response, 200, { metadata: {}, items: [item] }),
    )
    const { items } = await client.list(PodKind)
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'Pod', metadata: key }])
  })

  test('a read of one object can ask for its metadata only', async () => {
    const { client, server } = await serve((_, response) => answerJson(response, 200, object))
    await client.get(ConfigMapKind, key, { metadataOnly: true })
    expect(server.requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    )
  })

  test('a list may be compressed', async () => {
    const { client, server } = await serve(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.end(gzipSync(JSON.stringify({ metadata: {}, items: [object] })))
      },
      { acceptGzip: true },
    )
    expect((await client.list(ConfigMapKind)).items).toEqual([object])
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip')
  })

  test('pages follow the continue token, and only the first request has a resource version', async () => {
    const { client, server } = await serve(({ query }, response) =>
      query.get('continue') === null
        ? answerJson(response, 200, { metadata: { continue: 'T' }, items: [object] })
        : answerJson(response, 200, { metadata: {}, items: [object, object] }),
    )
    const found = []
    for await (const each of client.each(ConfigMapKind, { resourceVersion: '0', limit: 1 })) {
      found.push(each)
    }
    expect(found).toHaveLength(3)
    expect(server.requests.map(({ query }) => `${query}`)).toEqual([
      'limit=1&resourceVersion=0',
      'limit=1&continue=T',
    ])
  })

  test('warnings are reported', async () => {
    const received: string[] = []
    const { client } = await serve(
      (_, response) => {
        response.setHeader('warning', ['299 - "one"', '299 - "a \\"quoted\\" two"'])
        answerJson(response, 200, object)
      },
      { onWarning: (text) => received.push(text) },
    )
    await client.get(ConfigMapKind, key)
    expect(received).toEqual(['one', 'a "quoted" two'])
  })

  test('connections are reused', async () => {
    const { client, server } = await serve((_, response) => answerJson(response, 200, object))
    for (let n = 0; n < 20; n++) await client.get(ConfigMapKind, key)
    expect(server.connections).toBe(1)
  })
})

describe('errors are recognised by the reason of the server', () => {
  test.each([
    { because: 'not found', code: 404, body: failure(404, 'NotFound'), is: isNotFound },
    {
      because: 'already exists',
      code: 409,
      body: failure(409, 'AlreadyExists'),
      is: isAlreadyExists,
    },
    { because: 'conflict', code: 409, body: failure(409, 'Conflict'), is: isConflict },
    { because: 'expired', code: 410, body: failure(410, 'Expired'), is: isExpired },
    { because: 'invalid', code: 422, body: failure(422, 'Invalid'), is: isInvalid },
    {
      because: 'resource version too large',
      code: 504,
      body: failure(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] }),
      is: isRevisionTooLarge,
    },
    { because: 'a proxy that answers with HTML', code: 404, body: '<html>', is: isNotFound },
  ])('$because', async ({ code, body, is }) => {
    const { client } = await serve((_, response) => answerJson(response, code, body), {
      retry: { retries: 0 },
    })
    const error = await client.get(ConfigMapKind, key).catch((caught: unknown) => caught)
    expect(is(error)).toBe(true)
    expect((error as KubeError).code).toBe(code)
    expect((error as Error).message).toContain('GET /api/v1/namespaces/team/configmaps/x')
  })

  test('and include its details', async () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'no' }]
    const body = failure(422, 'Invalid', { name: 'x', kind: 'ConfigMap', causes })
    const { client } = await serve((_, response) => answerJson(response, 422, body))
    const error = await client.create(ConfigMapKind, object).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(KubeError)
    expect((error as KubeError).causes).toEqual(causes)
    expect((error as KubeError).details.name).toBe('x')
  })
})
