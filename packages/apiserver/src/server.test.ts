import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '@agents/crd'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { widgetDefinition } from './endpoints/testing/test-server.ts'
import { type ApiServer, startApiServer } from './server.ts'

/** Polls for the result of background work. */
const pollOptions = { timeout: 50_000 }

const logger = silentLogger
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = '/apis/example.dev/v1/namespaces/default/widgets'
const merge = { 'Content-Type': 'application/merge-patch+json' }

interface Answer {
  readonly status: number
  readonly warnings: readonly string[]
  readonly body: Record<string, Json>
}

function send(
  server: ApiServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  token: string | undefined = server.adminToken,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(
      server.url + path,
      {
        method,
        ca: server.caCertificate,
        headers: {
          ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
          ...(text === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (response) => {
        let received = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          received += chunk
        })
        response.on('end', () => {
          const warning = response.headers.warning
          resolve({
            status: response.statusCode ?? 0,
            warnings: warning === undefined ? [] : [warning],
            body: received.startsWith('{') ? JSON.parse(received) : { text: received },
          })
        })
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 0, default: 3 },
        color: { type: 'string', enum: ['red', 'blue'] },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' } } },
  },
}

function widget(name: string, spec: object) {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Widget',
    metadata: { name },
    spec,
  }
}

describe('the whole server', () => {
  let server: ApiServer

  beforeAll(async () => {
    server = await startApiServer({ logger })
    const definition = widgetDefinition(
      {},
      { schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
    )
    expect((await send(server, 'POST', definitions, definition)).status).toBe(201)
  })

  afterAll(async () => {
    await server.stop()
  })

  test.each([
    { path: '/healthz', token: '', code: 200 },
    { path: '/version', token: '', code: 200 },
    { path: widgets, token: '', code: 403 },
    { path: widgets, token: 'wrong', code: 401 },
    { path: widgets, token: undefined, code: 200 },
  ])('$path with token "$token": $code', async ({ path, token, code }) => {
    expect((await send(server, 'GET', path, undefined, {}, token)).status).toBe(code)
  })

  test('a body is pruned, defaulted and recorded', async () => {
    const { status, warnings, body } = await send(
      server,
      'POST',
      widgets,
      widget('a', { extra: 1 }),
    )
    expect(status).toBe(201)
    expect(warnings).toEqual(['299 - "unknown field \\"spec.extra\\""'])
    expect(body.spec).toEqual({ size: 3 })
    expect(body.metadata).toMatchObject({ managedFields: [{ operation: 'Update' }] })
  })

  test.each([
    {
      because: 'strict validation rejects unknown fields',
      query: '?fieldValidation=Strict',
      spec: { extra: 1, more: 2 },
      code: 400,
      message:
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.extra", unknown field "spec.more"',
    },
    {
      because: 'several errors are reported together',
      query: '',
      spec: { size: -1, color: 'green' },
      code: 422,
      message:
        'Widget.example.dev "x" is invalid: [spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0, spec.color: Unsupported value: "green": supported values: "red", "blue"]',
    },
  ])('$because', async ({ query, spec, code, message }) => {
    const { body } = await send(server, 'POST', `${widgets}${query}`, widget('x', spec))
    expect(body.code).toBe(code)
    const parts = (text: string) =>
      text
        .split(/[[\],]/)
        .map((part) => part.trim())
        .sort()
    expect(parts(String(body.message))).toEqual(parts(message))
  })

  test('an invalid definition is rejected with the fields of its errors', async () => {
    const { body } = await send(server, 'POST', definitions, {
      ...widgetDefinition(),
      metadata: { name: 'wrong.example.dev' },
    })
    expect(body).toMatchObject({ code: 422, reason: 'Invalid' })
    expect(JSON.stringify(body.details)).toContain('metadata.name')
  })

  test('CEL rules are enforced, including transition rules', async () => {
    const rules = [
      { rule: 'self.low <= self.high', message: 'low must not exceed high' },
      { rule: 'self.low >= oldSelf.low', message: 'low never falls' },
    ]
    const names = { plural: 'ranges', kind: 'Range' }
    const integer = { type: 'integer' }
    const spec = {
      type: 'object',
      required: ['low', 'high'],
      properties: { low: integer, high: integer },
      'x-kubernetes-validations': rules,
    }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
    await send(server, 'POST', definitions, {
      ...widgetDefinition({ names }, { schema, subresources: {} }),
      metadata: { name: 'ranges.example.dev' },
    })
    const path = '/apis/example.dev/v1/namespaces/default/ranges'
    const range = (low: number, high: number) => ({ ...widget('r', { low, high }), kind: 'Range' })
    const refused = await send(server, 'POST', path, range(2, 1))
    expect(refused.body.message).toBe(
      'Range.example.dev "r" is invalid: spec: Invalid value: low must not exceed high',
    )
    expect((await send(server, 'POST', path, range(2, 3))).status).toBe(201)
    const fallen = await send(server, 'PATCH', `${path}/r`, { spec: { low: 1 } }, merge)
    expect(fallen.body.message).toContain('low never falls')
    const unreadable = await send(server, 'POST', path, { ...range(1, 2), spec: { low: 'x' } })
    expect(unreadable.body.message).toContain('some validation rules were not checked')
  })

  test('a changed schema takes effect immediately, for existing objects too', async () => {
    await send(server, 'POST', widgets, widget('old', { color: 'red' }))
    const next = structuredClone(schema)
    Object.assign(next.properties.spec.properties, { shape: { type: 'string', default: 'round' } })
    const versions = [
      {
        ...(widgetDefinition().spec as { versions: object[] }).versions[0],
        schema: { openAPIV3Schema: next },
      },
    ]
    const path = `${definitions}/widgets.example.dev`
    expect((await send(server, 'PATCH', path, { spec: { versions } }, merge)).status).toBe(200)
    expect((await send(server, 'GET', `${widgets}/old`)).body.spec).toEqual({
      color: 'red',
      size: 3,
      shape: 'round',
    })
  })

  test('an object is served in all versions', async () => {
    const version = (name: string, storage: boolean) => ({
      ...(widgetDefinition().spec as { versions: object[] }).versions[0],
      name,
      storage,
    })
    const names = { plural: 'gadgets', kind: 'Gadget' }
    const definition = {
      ...widgetDefinition({ names, versions: [version('v1', true), version('v2', false)] }),
      metadata: { name: 'gadgets.example.dev' },
    }
    await send(server, 'POST', definitions, definition)
    const at = (name: string) => `/apis/example.dev/${name}/namespaces/default/gadgets`
    const gadget = { ...widget('g', { size: 1 }), apiVersion: 'example.dev/v2', kind: 'Gadget' }
    const created = await send(server, 'POST', at('v2'), gadget)
    expect(created.body.apiVersion).toBe('example.dev/v2')
    const seen = await send(server, 'GET', `${at('v1')}/g`)
    expect(seen.body).toMatchObject({ apiVersion: 'example.dev/v1', spec: { size: 1 } })
    const path = `${definitions}/gadgets.example.dev`
    const moved = await send(
      server,
      'PATCH',
      path,
      { spec: { versions: [version('v1', false), version('v2', true)] } },
      merge,
    )
    expect(moved.body.status).toMatchObject({ storedVersions: ['v1', 'v2'] })
    expect((await send(server, 'GET', `${at('v2')}/g`)).body.apiVersion).toBe('example.dev/v2')
  })

  test('a namespace must exist before objects in it can be created', async () => {
    const path = widgets.replace('default', 'later')
    const before = await send(server, 'POST', path, widget('n', {}))
    expect(before.body).toMatchObject({ code: 404, message: 'namespaces "later" not found' })
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } }
    await send(server, 'POST', '/api/v1/namespaces', namespace)
    expect((await send(server, 'POST', path, widget('n', {}))).status).toBe(201)
    await send(server, 'DELETE', '/api/v1/namespaces/later')
    await expect
      .poll(async () => (await send(server, 'GET', '/api/v1/namespaces/later')).status, pollOptions)
      .toBe(404)
    expect((await send(server, 'GET', `${path}/n`)).status).toBe(404)
  })

  test('an apply is merged, and conflicts name the other manager', async () => {
    const apply = (manager: string, spec: object) =>
      send(server, 'PATCH', `${widgets}/applied?fieldManager=${manager}`, widget('applied', spec), {
        'Content-Type': 'application/apply-patch+yaml',
      })
    expect((await apply('one', { size: 5 })).status).toBe(201)
    expect((await apply('two', { color: 'red' })).body.spec).toMatchObject({
      size: 5,
      color: 'red',
    })
    const { body } = await apply('two', { size: 6 })
    expect(body).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(body.message).toContain('conflict with "one": .spec.size')
  })
})

test('acknowledged writes, keys and tokens survive a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agents-apiserver-'))
  const options = { logger, dataDir: folder, certDir: join(folder, 'pki') }
  const first = await startApiServer(options)
  await send(first, 'POST', definitions, widgetDefinition())
  const created = await send(first, 'POST', widgets, widget('kept', { size: 1 }))
  await first.stop()
  const second = await startApiServer(options)
  const seen = await send(second, 'GET', `${widgets}/kept`, undefined, {}, first.adminToken)
  await second.stop()
  await rm(folder, { recursive: true })
  expect(seen.body).toEqual(created.body)
})
