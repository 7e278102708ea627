import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  definitions,
  lenientRules,
  startTestServer,
  type TestServer,
  userOfHeader,
  widget,
  widgetDefinition,
  widgets,
} from './testing/test-server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(lenientRules, {
    authenticate: userOfHeader,
    authorize: (user, info) =>
      user.name === 'admin' || (user.name === 'reader' && info.verb === 'get')
        ? { allowed: true }
        : { allowed: false, ...(user.name === 'other' ? { reason: 'not today' } : {}) },
  })
  await server.send('POST', definitions, widgetDefinition(), { 'X-User': 'admin' })
})

afterAll(async () => {
  await server.stop()
})

function as(user: string) {
  return { 'X-User': user }
}

/** Sends a request without fetch, which sets Host and Origin itself. */
function status(
  headers: Record<string, string>,
  path = '/version',
  method = 'GET',
  body?: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(server.url)
    const sent = httpRequest(
      { host: '127.0.0.1', port, path, method, headers: { ...as('admin'), ...headers } },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

describe('access', () => {
  test('a request without credentials is rejected', async () => {
    const { status, body } = await server.send('GET', widgets)
    expect(status).toBe(401)
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    })
  })

  test.each([
    {
      because: 'a resource in a namespace',
      path: `${widgets}/x`,
      method: 'DELETE',
      message:
        'widgets.example.dev "x" is forbidden: User "reader" cannot delete resource "widgets" in API group "example.dev" in the namespace "default"',
    },
    {
      because: 'a subresource',
      path: `${widgets}/x/status`,
      method: 'PUT',
      message:
        'widgets.example.dev "x" is forbidden: User "reader" cannot update resource "widgets/status" in API group "example.dev" in the namespace "default"',
    },
    {
      because: 'a list of the whole cluster',
      path: '/apis/example.dev/v1/widgets',
      method: 'GET',
      message:
        'widgets.example.dev is forbidden: User "reader" cannot list resource "widgets" in API group "example.dev" at the cluster scope',
    },
    {
      because: 'a path',
      path: '/<x>',
      method: 'POST',
      message: 'forbidden: User "reader" cannot post path "/%3Cx%3E"',
    },
  ])('a 403 describes $because', async ({ path, method, message }) => {
    const { body } = await server.send(method, path, undefined, as('reader'))
    expect(body).toMatchObject({ code: 403, reason: 'Forbidden', message })
  })

  test('the reason of the authorizer is sent to the client', async () => {
    const { body } = await server.send('GET', '/version', undefined, as('other'))
    expect(body.message).toBe('forbidden: User "other" cannot get path "/version": not today')
  })
})

describe('the request handler', () => {
  test.each([
    { because: 'its own address', headers: {}, code: 200 },
    { because: 'localhost', headers: { Host: 'localhost:1' }, code: 200 },
    { because: 'a foreign name', headers: { Host: 'evil.example' }, code: 403 },
    { because: 'a page of another origin', headers: { Origin: 'https://evil.example' }, code: 403 },
    { because: 'an opaque origin', headers: { Origin: 'null' }, code: 403 },
  ])('a request to or from $because: $code', async ({ headers, code }) => {
    expect(await status(headers)).toBe(code)
  })

  test('a body of more than 3 MiB is rejected', async () => {
    const text = JSON.stringify(widget('x', { spec: { text: 'x'.repeat(3 * 1024 * 1024) } }))
    const { body } = await server.send('POST', widgets, text, as('admin'))
    expect(body).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    })
  })

  test.each([
    { method: 'GET', path: '/nothing', code: 404 },
    { method: 'GET', path: '/apis/example.dev/v1/namespaces/default/nothing', code: 404 },
    { method: 'GET', path: '/apis/example.dev/v1//namespaces/default/widgets', code: 404 },
    { method: 'GET', path: '/%ff', code: 404 },
    { method: 'GET', path: '/%zz', code: 400 },
    { method: 'PATCH', path: widgets, code: 415 },
    { method: 'GET', path: `${widgets}/%00`, code: 404 },
    { method: 'GET', path: `${widgets}/..%2f..`, code: 400 },
    { method: 'PUT', path: widgets, code: 400 },
    { method: 'OPTIONS', path: widgets, code: 405 },
    { method: 'POST', path: '/version', code: 405 },
    { method: 'HEAD', path: '/version', code: 200 },
    { method: 'HEAD', path: widgets, code: 200 },
  ])('$method $path: $code', async ({ method, path, code }) => {
    expect(await status({}, path, method)).toBe(code)
  })

  test('responses have an id and must not be cached', async () => {
    const { headers } = await server.send('GET', '/version', undefined, {
      ...as('admin'),
      'Audit-Id': 'mine',
    })
    expect(headers.get('audit-id')).toBe('mine')
    expect(headers.get('cache-control')).toBe('no-cache, private')
  })
})

describe('health, version and metrics', () => {
  test.each([
    { path: '/healthz', text: 'ok' },
    { path: '/readyz/ping', text: 'ok' },
    { path: '/livez?exclude=etcd', text: 'ok' },
    {
      path: '/readyz?verbose',
      text: '[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]shutdown ok\nreadyz check passed\n',
    },
    {
      path: '/livez?verbose&exclude=etcd',
      text: '[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\nlivez check passed\n',
    },
  ])('$path', async ({ path, text }) => {
    expect((await server.send('GET', path, undefined, as('admin'))).body).toEqual({ text })
  })

  test('kubectl can parse the version', async () => {
    const { body } = await server.send('GET', '/version', undefined, as('admin'))
    expect(body.gitVersion).toMatch(/^v\d+\.\d+\.\d+/)
    expect([body.major, body.minor]).toEqual(['1', '36'])
  })

  test('metrics count requests, objects and watches', async () => {
    await server.send('POST', widgets, widget('counted'), as('admin'))
    const { body } = await server.send('GET', '/metrics', undefined, as('admin'))
    const text = String(body.text)
    expect(text).toMatch(
      /^apiserver_request_total\{code="201",dry_run="",component="apiserver",group="example.dev",resource="widgets",scope="namespace",subresource="",verb="CREATE",version="v1"\} 1$/m,
    )
    expect(text).toMatch(
      /^apiserver_request_duration_seconds_count\{.*resource="widgets".*verb="CREATE".*\} [1-9]$/m,
    )
    // Paths that are not served must not create new series.
    expect(text).not.toContain('nothing')
    expect(text).toMatch(/^apiserver_storage_objects\{group="example.dev",resource="widgets"\} 1$/m)
  })
})
