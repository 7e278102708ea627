import { describe, expect, test } from 'vitest'
import type { PlainResponse } from '../endpoints/plain-handler.ts'
import type { Registry } from '../registry/registry.ts'
import { ApiError } from '../status/api-error.ts'
import { createDiscoveryHandler } from './discovery-handler.ts'
import { customResource, registryWith, subresource, tables } from './testing/test-registry.ts'

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const kubectlAccept = `${aggregatedType},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`

const status = subresource('status', 'Widget', ['get', 'patch', 'update'])
const scale = subresource('scale', 'Scale', ['get', 'patch', 'update'], 'autoscaling/v1')
const widgets = customResource({
  shortNames: ['wd'],
  storageVersionHash: 'hash',
  subresources: new Map([
    ['status', status],
    ['scale', scale],
  ]),
})
const custom = [
  customResource({ version: 'v1alpha1' }),
  customResource({ version: 'v2beta1' }),
  widgets,
  customResource({ group: 'aaa.dev' }),
]

describe('aggregated', () => {
  test('has the content type that kubectl expects, an ETag and a Vary header', () => {
    const answer = ask('/apis', { accept: kubectlAccept })
    expect(answer?.contentType).toBe(aggregatedType)
    expect(answer?.headers).toMatchObject({
      Vary: 'Accept',
      ETag: expect.stringMatching(/^"\w+"$/),
    })
  })

  test('lists built-in groups as upstream does, and then the others', () => {
    const { items } = read('/apis', aggregatedType)
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io'])
    expect(names.slice(-2)).toEqual(['aaa.dev', 'example.dev'])
  })

  test('describes a custom resource', () => {
    const { items } = read('/apis', aggregatedType)
    const { versions } = items.at(-1)
    expect(versions.map(({ version }: { version: string }) => version)).toEqual([
      'v1',
      'v2beta1',
      'v1alpha1',
    ])
    const kind = { group: 'example.dev', version: 'v1', kind: 'Widget' }
    expect(versions[0]).toMatchObject({
      freshness: 'Current',
      resources: [
        {
          resource: 'widgets',
          responseKind: kind,
          scope: 'Namespaced',
          singularResource: 'widget',
          shortNames: ['wd'],
          subresources: [
            { subresource: 'status', responseKind: kind },
            {
              subresource: 'scale',
              responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            },
          ],
        },
      ],
    })
  })

  test('keeps the core group for /api', () => {
    const { items } = read('/api', aggregatedType)
    expect(items).toHaveLength(1)
    const [bindings] = items[0].versions[0].resources
    expect(bindings.responseKind).toEqual({ group: '', version: '', kind: 'Binding' })
  })

  test('is sent again only after a change', () => {
    const registry = registryWith(custom)
    const etag = ask('/apis', { accept: aggregatedType }, registry)?.headers?.ETag ?? ''
    const again = { accept: aggregatedType, 'if-none-match': etag }
    expect(ask('/apis', again, registry)).toMatchObject({ code: 304, body: '' })
    registry.replace('more', [customResource({ group: 'zzz.dev' })])
    expect(ask('/apis', again, registry)?.code).toBe(200)
  })

  test('has the same ETag in every process', () => {
    const etags = [1, 2].map(() => ask('/apis', { accept: aggregatedType }, registryWith(custom)))
    expect(etags[0]?.headers?.ETag).toBe(etags[1]?.headers?.ETag)
  })
})

describe('plain', () => {
  test('/api lists the versions of the core group and the server address', () => {
    expect(read('/api')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    })
  })

  test('/apis lists groups with the preferred version first', () => {
    const { groups } = read('/apis')
    const find = (name: string) => groups.find((group: { name: string }) => group.name === name)
    expect(find('autoscaling').preferredVersion).toEqual({
      groupVersion: 'autoscaling/v2',
      version: 'v2',
    })
    expect(find('example.dev').preferredVersion.version).toBe('v1')
    expect(find('')).toBeUndefined()
  })

  test('/apis/<group> describes one group', () => {
    expect(read('/apis/aaa.dev')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'aaa.dev',
      versions: [{ groupVersion: 'aaa.dev/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'aaa.dev/v1', version: 'v1' },
    })
  })

  test('/apis/<group>/<version> lists resources with their subresources', () => {
    const { resources, ...list } = read('/apis/example.dev/v1')
    expect(list).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'example.dev/v1',
    })
    expect(resources).toMatchObject([
      { name: 'widgets', singularName: 'widget', storageVersionHash: 'hash' },
      { name: 'widgets/status', singularName: '', kind: 'Widget' },
      { name: 'widgets/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' },
    ])
  })

  test('/api/v1 is sorted, and has hashes of stored resources', () => {
    const { resources } = read('/api/v1')
    const find = (name: string) => resources.find((each: { name: string }) => each.name === name)
    expect(find('configmaps').storageVersionHash).toBe('qFsyl6wFWjQ=')
    expect(find('bindings')).not.toHaveProperty('storageVersionHash')
    const names = resources.map(({ name }: { name: string }) => name)
    expect(names).toEqual([...names].sort())
  })

  test('a terminating definition has no verbs that create', () => {
    const { resources } = JSON.parse(
      String(
        ask('/apis/example.dev/v1', {}, registryWith([customResource({ isTerminating: true })]))
          ?.body,
      ),
    )
    expect(resources[0].verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch'])
  })

  test('is available in YAML', () => {
    const answer = ask('/apis/aaa.dev', { accept: 'application/yaml' })
    expect(answer?.contentType).toBe('application/yaml')
    expect(String(answer?.body)).toContain('kind: APIGroup\n')
  })
})

describe('unknown paths', () => {
  test.each([
    { path: '/apis/nope', because: 'the group is unknown' },
    { path: '/apis/nope/v1', because: 'the group is unknown' },
    { path: '/apis/example.dev/v9', because: 'the version of a custom group is unknown' },
    { path: '/apis/example.dev/v1/widgets', because: 'the path is a resource' },
    { path: '/openapi', because: 'the path is not part of discovery' },
  ])('$path is not handled: $because', ({ path }) => {
    expect(ask(path)).toBeUndefined()
  })

  test.each(['/api/v9', '/apis/apps/v9'])('%s is a Status, since the group is built in', (path) => {
    expect(() => ask(path)).toThrow(ApiError)
    expect(() => ask(path)).toThrow('the server could not find the requested resource')
  })

  test('other media types and methods are rejected', () => {
    expect(() => ask('/apis', { accept: 'text/html' })).toThrow('only the following media types')
    const beta = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'
    expect(() => ask('/apis', { accept: beta })).toThrow('only the following media types')
    const post = () => createDiscoveryHandler(registryWith([]), [])(request('/apis', {}, 'POST'))
    expect(post).toThrow('does not allow this method')
  })
})

function ask(
  path: string,
  headers: Record<string, string> = {},
  registry: Registry = registryWith(custom),
): PlainResponse | undefined {
  const answer = createDiscoveryHandler(registry, tables.groupVersions)(request(path, headers))
  if (answer instanceof Promise) throw new Error('discovery does not wait')
  return answer
}

function read(path: string, accept = 'application/json') {
  return JSON.parse(String(ask(path, { accept })?.body))
}

function request(path: string, headers: Record<string, string>, method = 'GET') {
  return {
    method,
    path,
    query: new URLSearchParams(),
    headers: { host: '127.0.0.1:6443', ...headers },
    user: { name: 'somebody', groups: [] },
  }
}
