import { describe, expect, test } from 'vitest'
import { CustomResourceDefinitionKind, JobKind, PodKind } from './builtin-kinds.ts'
import { formatKey, kindRef, parseKey } from './kind-ref.ts'
import { resourcePath, withQuery } from './resource-path.ts'

describe('the path of a resource', () => {
  test.each([
    { because: 'the core group has a separate root', kind: PodKind, at: {}, path: '/api/v1/pods' },
    {
      because: 'a namespaced object',
      kind: JobKind,
      at: { namespace: 'team', name: 'build' },
      path: '/apis/batch/v1/namespaces/team/jobs/build',
    },
    {
      because: 'a namespace is ignored for a cluster-scoped kind',
      kind: CustomResourceDefinitionKind,
      at: { namespace: 'team', name: 'widgets.example.dev' },
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.dev',
    },
    {
      because: 'a subresource',
      kind: PodKind,
      at: { namespace: 'team', name: 'x', subresource: 'log' },
      path: '/api/v1/namespaces/team/pods/x/log',
    },
    {
      because: 'a name with a colon, as in RBAC',
      kind: kindRef({ group: '', version: 'v1', plural: 'nodes', kind: 'Node', scope: 'Cluster' }),
      at: { name: 'system:x' },
      path: '/api/v1/nodes/system%3Ax',
    },
  ])('$because', ({ kind, at, path }) => {
    expect(resourcePath(kind, at)).toBe(path)
  })

  test.each(['..', '.', '', 'a/b', '%2e%2e'])('cannot be changed by a name: %j', (name) => {
    expect(() => resourcePath(PodKind, { namespace: 'team', name })).toThrow(TypeError)
    expect(() => resourcePath(PodKind, { namespace: 'team', name })).toThrow(
      'not a valid object name',
    )
  })

  test('an object of a namespaced kind cannot be addressed without its namespace', () => {
    expect(() => resourcePath(PodKind, { name: 'x' })).toThrow('namespace is required')
  })

  test('a query contains the parameters that are set', () => {
    const query = { limit: 500, continue: '', watch: true, force: false, labelSelector: 'a in (b)' }
    expect(withQuery('/x', query)).toBe('/x?limit=500&watch=true&labelSelector=a%20in%20(b)')
  })
})

test('keys survive a round trip', () => {
  for (const key of [{ namespace: 'team', name: 'x' }, { name: 'x' }]) {
    expect(parseKey(formatKey(key))).toEqual(key)
  }
})
