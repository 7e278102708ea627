import { describe, expect, test } from 'vitest'
import {
  customResource,
  registryWith,
  subresource,
  tables,
} from '../discovery/testing/test-registry.ts'
import type { PlainHandler, PlainResponse } from '../endpoints/plain-handler.ts'
import type { Registry } from '../registry/registry.ts'
import { createOpenApiHandler } from './open-api-handler.ts'

const widgets = customResource({
  selectableFields: ['spec.size'],
  subresources: new Map([
    ['status', subresource('status', 'Widget', ['get', 'patch', 'update'])],
    ['scale', subresource('scale', 'Scale', ['get', 'patch', 'update'], 'autoscaling/v1')],
  ]),
  schema: {
    description: 'A widget.',
    type: 'object',
    properties: {
      spec: {
        description: 'What is wanted.',
        type: 'object',
        properties: {
          port: { 'x-kubernetes-int-or-string': true },
          size: { type: 'string', nullable: true, default: 's' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          inner: { type: 'object', 'x-kubernetes-embedded-resource': true },
        },
      },
    },
  },
})

describe('the index', () => {
  test('lists a document with its hash for each group version', () => {
    const { paths } = parse(server().ask('/openapi/v3'))
    expect(Object.keys(paths)).toContain('api/v1')
    expect(paths['apis/example.dev/v1'].serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/example\.dev\/v1\?hash=[0-9A-F]{128}$/,
    )
  })

  test('is the same in every process', () => {
    expect(server().ask('/openapi/v3')).toEqual(server().ask('/openapi/v3'))
  })

  test('changes only the hashes of changed documents', () => {
    const { ask, registry } = server()
    const before = parse(ask('/openapi/v3')).paths
    registry.replace('custom', [{ ...widgets, schema: { type: 'object', description: 'New.' } }])
    const after = parse(ask('/openapi/v3')).paths
    expect(after['apis/example.dev/v1']).not.toEqual(before['apis/example.dev/v1'])
    expect({ ...after, 'apis/example.dev/v1': '' }).toEqual({
      ...before,
      'apis/example.dev/v1': '',
    })
    registry.replace('custom', [])
    expect(parse(ask('/openapi/v3')).paths).not.toHaveProperty('apis/example.dev/v1')
  })
})

describe('a document', () => {
  const { ask } = server()
  const path = '/openapi/v3/apis/example.dev/v1'
  const document = parse(ask(path))
  const object = `${path.slice('/openapi/v3'.length)}/namespaces/{namespace}/widgets/{name}`

  test('shows kubectl that the server validates fields', () => {
    const { patch } = document.paths[object]
    const names = patch.parameters.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force'])
    expect(patch['x-kubernetes-group-version-kind']).toEqual({
      group: 'example.dev',
      version: 'v1',
      kind: 'Widget',
    })
  })

  test('describes a custom kind with the schema of its definition', () => {
    const schema = document.components.schemas['dev.example.v1.Widget']
    expect(schema).toMatchObject({
      description: 'A widget.',
      properties: {
        apiVersion: { type: 'string' },
        metadata: {
          allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
        },
        spec: {
          description: 'What is wanted.',
          properties: {
            port: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
            inner: { required: ['kind', 'apiVersion'], properties: { metadata: {} } },
          },
        },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.dev', version: 'v1', kind: 'Widget' }],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.size' }],
    })
  })

  test('keeps the descriptions of apiVersion, kind and metadata of a definition', () => {
    const { ask, registry } = server()
    const described = (description: string) => ({ type: 'string', description }) as const
    const properties = {
      apiVersion: described('The version.'),
      kind: described('The kind.'),
      metadata: { type: 'object', description: 'The metadata.' },
    } as const
    registry.replace('custom', [{ ...widgets, schema: { type: 'object', properties } }])
    const { schemas } = parse(ask(path)).components
    const { apiVersion, kind, metadata } = schemas['dev.example.v1.Widget'].properties
    expect([apiVersion.description, kind.description, metadata.description]).toEqual([
      'The version.',
      'The kind.',
      'The metadata.',
    ])
    expect(metadata.allOf).toHaveLength(1)
  })

  test('contains all schemas that it refers to', () => {
    for (const each of ['/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1', path]) {
      const { components, paths } = parse(ask(each))
      const names = references({ components, paths })
      expect(names.length).toBeGreaterThan(10)
      expect(names.filter((name) => components.schemas[name] === undefined)).toEqual([])
    }
  })

  test('has the built-in kinds of the generated table', () => {
    const { schemas } = parse(ask('/openapi/v3/api/v1')).components
    expect(schemas['io.k8s.api.core.v1.PodSpec'].properties.containers).toEqual({
      type: 'array',
      items: {
        default: {},
        allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }],
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    })
  })

  test('can be cached permanently by its hash', () => {
    const { serverRelativeURL } = parse(ask('/openapi/v3')).paths['apis/example.dev/v1']
    const answer = ask(serverRelativeURL)
    expect(answer).toMatchObject({
      code: 200,
      headers: {
        'Cache-Control': 'public, immutable',
        Expires: expect.any(String),
        Vary: 'Accept',
      },
    })
    const etag = answer.headers?.ETag ?? ''
    expect(ask(path, { 'if-none-match': etag })).toMatchObject({ code: 304, body: '' })
  })

  test('redirects requests with an old hash', () => {
    const { serverRelativeURL } = parse(ask('/openapi/v3')).paths['apis/example.dev/v1']
    expect(ask(`${path}?hash=OLD`)).toMatchObject({
      code: 301,
      headers: { Location: serverRelativeURL },
    })
  })
})

describe('version 2', () => {
  const document = parse(server().ask('/openapi/v2'))

  test('has the same kinds in the older format', () => {
    const { properties } = document.definitions['dev.example.v1.Widget']
    expect(properties.metadata.$ref).toBe(
      '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    )
    expect(properties.spec.properties).toMatchObject({
      port: { 'x-kubernetes-int-or-string': true },
      size: {},
      free: { 'x-kubernetes-preserve-unknown-fields': true },
    })
    expect(JSON.stringify(document.definitions)).not.toContain('components/schemas')
    expect(properties.spec.properties.size).not.toHaveProperty('nullable')
    expect(properties.spec.properties.free).not.toHaveProperty('type')
  })

  test.each([
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf, application/json;q=0.9, */*;q=0.8',
    'application/json;q=0.5, application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  ])('is protobuf for %s', (accept) => {
    const { ask } = server()
    const answer = ask('/openapi/v2', { accept })
    const etag = ask('/openapi/v2').headers?.ETag ?? ''
    expect(answer).toMatchObject({
      code: 200,
      contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      headers: { ETag: etag, Vary: 'Accept-Encoding, Accept' },
    })
    expect(String(answer.body).startsWith('\n\u00032.0')).toBe(true)
    expect(ask('/openapi/v2', { accept, 'if-none-match': etag })).toMatchObject({ code: 304 })
  })

  test.each(['*/*', 'application/*', ''])('is JSON for %j', (accept) => {
    const { contentType, body } = server().ask('/openapi/v2', { accept })
    expect(contentType).toBe('application/json')
    expect(JSON.parse(String(body)).swagger).toBe('2.0')
  })

  test('has request bodies as parameters', () => {
    const { post } = document.paths['/api/v1/namespaces/{namespace}/pods']
    expect(post.parameters[0]).toEqual({
      name: 'body',
      in: 'body',
      schema: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' },
    })
  })
})

test.each([
  {
    path: '/openapi/v2',
    accept: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    code: 406,
  },
  { path: '/openapi/v2', accept: 'application/json, */*', code: 200 },
  { path: '/openapi/v2', accept: 'application/json;q=0', code: 406 },
  { path: '/openapi/v3/api/v1', accept: 'text/html', code: 406 },
  { path: '/openapi/v3/apis/nope/v1', accept: 'application/json', code: 404 },
])('$path for $accept is $code', ({ path, accept, code }) => {
  expect(server().ask(path, { accept }).code).toBe(code)
})

test('other paths are not handled', () => {
  const answer = createOpenApiHandler(registryWith([]), tables)(request('/apis', {}))
  expect(answer).toBeUndefined()
})

function server(): {
  registry: Registry
  ask: (url: string, headers?: Record<string, string>) => PlainResponse
} {
  const registry = registryWith([widgets])
  const handler: PlainHandler = createOpenApiHandler(registry, tables)
  return {
    registry,
    ask: (url, headers = {}) => {
      const answer = handler(request(url, headers))
      if (answer === undefined || answer instanceof Promise) throw new Error(`no answer to ${url}`)
      return answer
    },
  }
}

function parse({ body }: PlainResponse) {
  return JSON.parse(String(body))
}

function references(value: unknown): string[] {
  const found: string[] = []
  JSON.stringify(value, (key, part) => {
    if (key === '$ref' && typeof part === 'string') found.push(part.split('/').at(-1) ?? '')
    return part
  })
  return [...new Set(found)]
}

function request(url: string, headers: Record<string, string>) {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  return {
    method: 'GET',
    path: pathname,
    query: searchParams,
    headers,
    user: { name: 'somebody', groups: [] },
  }
}
