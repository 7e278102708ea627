import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { ConfigMapKind, PodKind, ServiceAccountKind } from '../kind/builtin-kinds.ts'
import {
  answerJson,
  failure,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../testing/scripted-server.ts'
import { bearer, type Connection } from './connection.ts'
import { createKubeClient, type KubeClient, type KubeClientOptions } from './kube-client.ts'
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  isRevisionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnreachable,
  KubeError,
} from './kube-error.ts'

let server: ScriptedServer
let client: KubeClient

const quick = { baseDelayMs: 1, maxDelayMs: 2 }

async function serve(
  script: Script,
  options: KubeClientOptions = {},
  connection: Partial<Connection> = {},
): Promise<void> {
  server = await startScriptedServer(script)
  client = createKubeClient(
    { server: server.url, namespace: 'default', ...connection },
    { retry: quick, ...options },
  )
}

afterEach(async () => {
  client.close()
  await server.stop()
})

const key = { namespace: 'team', name: 'x' }
const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key, resourceVersion: '7' },
  data: { a: 'b' },
}

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
      because: 'create adds what follows from the kind',
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
      because: 'apply takes over by default, under the name that was asked for',
      run: (c) => c.apply(ConfigMapKind, { metadata: key }, { fieldManager: 'other' }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=other&force=true',
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key },
    },
    {
      because: 'apply may be told not to',
      run: (c) => c.apply(ConfigMapKind, { metadata: key }, { force: false }),
      sent: 'PATCH /api/v1/namespaces/team/configmaps/x?fieldManager=tester',
      type: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: key },
    },
    {
      because: 'delete, plainly',
      run: (c) => c.delete(ConfigMapKind, key),
      sent: 'DELETE /api/v1/namespaces/team/configmaps/x',
    },
    {
      because: 'delete, with conditions',
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
      because: 'a question about access',
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
    await serve(
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

describe('answers', () => {
  test('delete tells an object that is still there from one that is gone', async () => {
    await serve((_, response) => answerJson(response, 200, object))
    expect(await client.delete(ConfigMapKind, key)).toEqual(object)
    server.script = (_, response) =>
      answerJson(response, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' })
    expect(await client.delete(ConfigMapKind, key)).toBeUndefined()
  })

  test('an object keeps its large numbers from a read to a write', async () => {
    const text = '{"metadata":{"namespace":"team","name":"x"},"spec":{"big":9223372036854775807}}'
    await serve((_, response) => answerJson(response, 200, text))
    await client.update(ConfigMapKind, await client.get(ConfigMapKind, key))
    expect(server.requests.at(-1)?.body).toBe(text)
  })

  test('items of a list get the kind that built-in lists leave out', async () => {
    const item = { metadata: key }
    await serve((_, response) => answerJson(response, 200, { metadata: {}, items: [item] }))
    const { items } = await client.list(PodKind)
    expect(items).toEqual([{ apiVersion: 'v1', kind: 'Pod', metadata: key }])
  })

  test('a list may come compressed', async () => {
    await serve(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.end(gzipSync(JSON.stringify({ metadata: {}, items: [object] })))
      },
      { acceptGzip: true },
    )
    expect((await client.list(ConfigMapKind)).items).toEqual([object])
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip')
  })

  test('pages follow the token, and only the first names a resource version', async () => {
    await serve(({ query }, response) =>
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

  test('warnings are passed on', async () => {
    const heard: string[] = []
    await serve(
      (_, response) => {
        response.setHeader('warning', ['299 - "one"', '299 - "a \\"quoted\\" two"'])
        answerJson(response, 200, object)
      },
      { onWarning: (text) => heard.push(text) },
    )
    await client.get(ConfigMapKind, key)
    expect(heard).toEqual(['one', 'a "quoted" two'])
  })

  test('connections are used again', async () => {
    await serve((_, response) => answerJson(response, 200, object))
    for (let n = 0; n < 20; n++) await client.get(ConfigMapKind, key)
    expect(server.connections).toBe(1)
  })
})

describe('refusals are told by the server’s reason', () => {
  test.each([
    { because: 'absent', code: 404, body: failure(404, 'NotFound'), is: isNotFound },
    {
      because: 'there already',
      code: 409,
      body: failure(409, 'AlreadyExists'),
      is: isAlreadyExists,
    },
    { because: 'changed meanwhile', code: 409, body: failure(409, 'Conflict'), is: isConflict },
    { because: 'too old', code: 410, body: failure(410, 'Expired'), is: isExpired },
    { because: 'unacceptable', code: 422, body: failure(422, 'Invalid'), is: isInvalid },
    {
      because: 'not there yet',
      code: 504,
      body: failure(504, 'Timeout', { causes: [{ reason: 'ResourceVersionTooLarge' }] }),
      is: isRevisionTooLarge,
    },
    { because: 'a proxy that speaks HTML', code: 404, body: '<html>', is: isNotFound },
  ])('$because', async ({ code, body, is }) => {
    await serve((_, response) => answerJson(response, code, body), { retry: { retries: 0 } })
    const error = await client.get(ConfigMapKind, key).catch((caught: unknown) => caught)
    expect(is(error)).toBe(true)
    expect((error as KubeError).code).toBe(code)
    expect((error as Error).message).toContain('GET /api/v1/namespaces/team/configmaps/x')
  })

  test('with its details', async () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.x', message: 'no' }]
    const body = failure(422, 'Invalid', { name: 'x', kind: 'ConfigMap', causes })
    await serve((_, response) => answerJson(response, 422, body))
    const error = await client.create(ConfigMapKind, object).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(KubeError)
    expect((error as KubeError).causes).toEqual(causes)
    expect((error as KubeError).details.name).toBe('x')
  })
})

describe('a request is sent again', () => {
  const failing = (times: number, fail: Script): Script => {
    let left = times
    return (request, response) =>
      left-- > 0 ? fail(request, response) : answerJson(response, 200, object)
  }
  const with429: Script = (_, response) =>
    answerJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '0' })
  const with503: Script = (_, response) =>
    answerJson(response, 503, failure(503, 'ServiceUnavailable'))
  const with500: Script = (_, response) => answerJson(response, 500, failure(500, 'InternalError'))
  const hangUp: Script = (_, response) => void response.destroy()
  const inTheMiddle: Script = (_, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"kind":', () => response.destroy())
  }
  const get = (c: KubeClient) => c.get(ConfigMapKind, key)
  const create = (c: KubeClient) => c.create(ConfigMapKind, object)
  const merge = (c: KubeClient) => c.patch(ConfigMapKind, key, { type: 'merge', body: {} })
  const json = (c: KubeClient) => c.patch(ConfigMapKind, key, { type: 'json', body: [] })

  test.each([
    { because: 'after 429', run: get, fail: with429, sent: 4 },
    {
      because: 'after 429 also if it creates: nothing was done',
      run: create,
      fail: with429,
      sent: 4,
    },
    { because: 'after 503', run: get, fail: with503, sent: 4 },
    { because: 'after 503, patches that may come twice', run: merge, fail: with503, sent: 4 },
    { because: 'but not a create, which may have been done', run: create, fail: with503, sent: 1 },
    { because: 'nor a patch that may append', run: json, fail: with503, sent: 1 },
    { because: 'nor after 500, which time does not heal', run: get, fail: with500, sent: 1 },
    { because: 'after the connection broke', run: get, fail: hangUp, sent: 4 },
    { because: 'after it broke in the middle of the answer', run: get, fail: inTheMiddle, sent: 4 },
    { because: 'but not a create, whose answer was lost', run: create, fail: hangUp, sent: 1 },
  ])('$because', async ({ run, fail, sent }) => {
    await serve(failing(3, fail))
    const outcome = await run(client).then(
      () => 'ok',
      () => 'failed',
    )
    expect(server.requests).toHaveLength(sent)
    expect(outcome).toBe(sent === 4 ? 'ok' : 'failed')
  })

  test('ten times at most', async () => {
    await serve(with429)
    await expect(get(client)).rejects.toSatisfy(isTooManyRequests)
    expect(server.requests).toHaveLength(11)
  })

  test('not before the time that the server asked for', async () => {
    const slept: number[] = []
    const clock = {
      now: () => 0,
      random: () => 0,
      sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
    }
    const script: Script = (_, response) =>
      answerJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '3' })
    await serve(failing(2, script), { clock, retry: { baseDelayMs: 100, maxDelayMs: 10_000 } })
    await get(client)
    expect(slept).toEqual([3050, 3100])
  })

  test('never, when the server asks for more patience than anybody has', async () => {
    const script: Script = (_, response) =>
      answerJson(response, 503, failure(503, 'ServiceUnavailable'), { 'retry-after': '3600' })
    await serve(script)
    const error = await get(client).catch((caught: unknown) => caught)
    expect((error as KubeError).retryAfterMs).toBe(3_600_000)
    expect(server.requests).toHaveLength(1)
  })
})

describe('patience', () => {
  const silent: Script = () => undefined

  test('a server that does not answer is given up', async () => {
    await serve(silent)
    const options = { timeoutMs: 600, retries: 1 }
    await expect(client.get(ConfigMapKind, key, options)).rejects.toSatisfy(isTimeout)
    expect(server.requests).toHaveLength(2)
  })

  test('so is one that stops in the middle', async () => {
    await serve((_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{')
    })
    const options = { timeoutMs: 50, retries: 0 }
    await expect(client.get(ConfigMapKind, key, options)).rejects.toSatisfy(isTimeout)
  })

  test('nobody there', async () => {
    await serve(silent)
    await server.stop()
    const options = { retries: 2 }
    await expect(client.get(ConfigMapKind, key, options)).rejects.toSatisfy(isUnreachable)
  })

  test.each([
    { because: 'before it is sent', after: undefined },
    { because: 'while it waits for an answer', after: 20 },
  ])('a signal ends a call $because', async ({ after }) => {
    await serve(silent)
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    if (after === undefined) controller.abort(reason)
    else setTimeout(() => controller.abort(reason), after)
    const { signal } = controller
    await expect(client.get(ConfigMapKind, key, { signal })).rejects.toBe(reason)
    await expect(client.watch(ConfigMapKind, { signal })).rejects.toBe(reason)
  })

  test('a signal ends the wait before a retry', async () => {
    await serve((_, response) => answerJson(response, 503, failure(503, 'ServiceUnavailable')), {
      retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 },
    })
    const signal = AbortSignal.timeout(30)
    await expect(client.get(ConfigMapKind, key, { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})

describe('credentials', () => {
  test('a token that was replaced is fetched once more on 401', async () => {
    let token = { authorization: bearer('old') }
    const credentials = {
      current: () => Promise.resolve(token),
      rejected: () => {
        token = { authorization: bearer('new') }
      },
    }
    await serve(
      ({ headers }, response) =>
        headers.authorization === 'Bearer new'
          ? answerJson(response, 200, object)
          : answerJson(response, 401, failure(401, 'Unauthorized')),
      {},
      { credentials },
    )
    expect(await client.get(ConfigMapKind, key)).toEqual(object)
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer new',
    ])
  })

  test('one that is wrong and stays so is not tried again', async () => {
    const same = { authorization: bearer('wrong') }
    const credentials = { current: () => Promise.resolve(same), rejected: () => undefined }
    await serve(
      (_, response) => answerJson(response, 401, failure(401, 'Unauthorized')),
      {},
      { credentials },
    )
    await expect(client.get(ConfigMapKind, key)).rejects.toMatchObject({ reason: 'Unauthorized' })
    expect(server.requests).toHaveLength(1)
  })

  test('another user can be stood in for', async () => {
    await serve(
      (_, response) => answerJson(response, 200, object),
      {},
      {
        impersonate: { user: 'u', groups: ['g', 'h'], extra: { 'a/b': ['c'] } },
      },
    )
    await client.get(ConfigMapKind, key)
    expect(server.requests[0]?.headers).toMatchObject({
      'impersonate-user': 'u',
      'impersonate-group': 'g, h',
      'impersonate-extra-a%2fb': 'c',
    })
  })
})

describe('a log', () => {
  test('comes in lines, whatever the chunks', async () => {
    await serve(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      for (const byte of Buffer.from('erste Zeile\nzweite: ß\nno end')) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const log = await client.podLog(key, { container: 'c', follow: true, tailLines: 5 })
    const lines = []
    for await (const line of log.lines()) lines.push(line)
    expect(lines).toEqual(['erste Zeile', 'zweite: ß', 'no end'])
    expect(`${server.requests[0]?.query}`).toBe('container=c&follow=true&tailLines=5')
  })
})

describe('discovery', () => {
  const aggregated = (resources: object[]) => ({
    kind: 'APIGroupDiscoveryList',
    items: [{ metadata: { name: 'batch' }, versions: [{ version: 'v1', resources }] }],
  })
  const jobs = {
    resource: 'jobs',
    responseKind: { kind: 'Job' },
    scope: 'Namespaced',
    verbs: ['get', 'list'],
    subresources: [{ subresource: 'status' }],
  }
  const batch = (resource: string) => ({ group: 'batch', version: 'v1', resource })

  test('is asked once, and again for what was not there', async () => {
    let now = 1_000_000
    let served: object[] = []
    await serve(
      ({ path }, response) =>
        answerJson(response, 200, path === '/api' ? aggregated([]) : aggregated(served)),
      { clock: { now: () => now, random: () => 0, sleep: () => Promise.resolve() } },
    )
    expect(await client.discovery.supports(batch('jobs'))).toBe(false)
    expect(await client.discovery.supports(batch('jobs'))).toBe(false)
    expect(server.requests).toHaveLength(2)
    served = [jobs]
    now += 20_000
    expect(await client.discovery.supports(batch('jobs'))).toBe(true)
    expect(await client.discovery.supports(batch('jobs'), { verbs: ['watch'] })).toBe(false)
    expect(server.requests).toHaveLength(4)
  })

  test('understands servers that list each group on its own', async () => {
    const answers: Record<string, object> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [{ name: 'batch', versions: [{ version: 'v1' }, { version: 'v9' }] }],
      },
      '/api/v1': { resources: [] },
      '/apis/batch/v1': {
        resources: [
          { name: 'jobs', kind: 'Job', namespaced: true, verbs: ['get'] },
          { name: 'jobs/status', kind: 'Job', namespaced: true, verbs: ['patch'] },
        ],
      },
    }
    await serve(({ path }, response) =>
      path in answers
        ? answerJson(response, 200, answers[path])
        : answerJson(response, 404, failure(404, 'NotFound')),
    )
    expect(await client.discovery.resources()).toEqual([
      {
        ...batch('jobs'),
        kind: 'Job',
        namespaced: true,
        verbs: ['get'],
        shortNames: [],
        categories: [],
        subresources: ['status'],
      },
    ])
  })
})
