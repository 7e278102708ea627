import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import type { Fields } from './client.ts'
import { conformance, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve } from './widget.ts'

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** The groups that a platform needs; a real server has more. */
const needed: Readonly<Record<string, readonly string[]>> = {
  '/api/v1': [
    'bindings',
    'configmaps',
    'endpoints',
    'events',
    'limitranges',
    'namespaces',
    'namespaces/finalize',
    'namespaces/status',
    'nodes',
    'nodes/status',
    'persistentvolumeclaims',
    'persistentvolumeclaims/status',
    'pods',
    'pods/binding',
    'pods/eviction',
    'pods/log',
    'pods/status',
    'resourcequotas',
    'resourcequotas/status',
    'secrets',
    'serviceaccounts',
    'serviceaccounts/token',
    'services',
    'services/status',
  ],
  '/apis/apps/v1': [
    'daemonsets',
    'daemonsets/status',
    'deployments',
    'deployments/scale',
    'deployments/status',
    'replicasets',
    'replicasets/scale',
    'replicasets/status',
    'statefulsets',
    'statefulsets/scale',
    'statefulsets/status',
  ],
  '/apis/batch/v1': ['cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'],
  '/apis/coordination.k8s.io/v1': ['leases'],
  '/apis/events.k8s.io/v1': ['events'],
  '/apis/rbac.authorization.k8s.io/v1': [
    'clusterrolebindings',
    'clusterroles',
    'rolebindings',
    'roles',
  ],
  '/apis/authentication.k8s.io/v1': ['selfsubjectreviews', 'tokenreviews'],
  '/apis/authorization.k8s.io/v1': [
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ],
  '/apis/apiextensions.k8s.io/v1': [
    'customresourcedefinitions',
    'customresourcedefinitions/status',
  ],
  '/apis/apiregistration.k8s.io/v1': ['apiservices'],
  '/apis/autoscaling/v1': ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'],
  '/apis/autoscaling/v2': ['horizontalpodautoscalers', 'horizontalpodautoscalers/status'],
  '/apis/policy/v1': ['poddisruptionbudgets', 'poddisruptionbudgets/status'],
  '/apis/networking.k8s.io/v1': ['ingresses', 'ingresses/status', 'networkpolicies'],
  '/apis/scheduling.k8s.io/v1': ['priorityclasses'],
}

conformance('server', ({ client, group, same, sameEach }) => {
  const picked = async (path: string, pick: (body: Fields) => Json) => {
    const answer = await client.get(path)
    return { ...answer, body: pick(answer.body as Fields) }
  }
  const hashes = [[/hash=[0-9A-Fa-f]+/g, 'hash=<hash>']] as const

  describe('discovery', () => {
    test('the definition is served', () => serve(client, fullWidgetDefinition(group)))
    for (const [path, names] of Object.entries(needed)) {
      same(`${path} has what a platform needs`, 200, () =>
        picked(path, (body) => {
          const resources = (body.resources as Fields[]).filter(({ name }) =>
            names.includes(String(name)),
          )
          const plain = resources.map(({ storageVersionHash, ...rest }) => rest)
          return {
            ...body,
            resources: plain.sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
          }
        }),
      )
    }
    same('a custom group lists its resources', 200, () =>
      picked(`/apis/${group}/v1`, (body) => ({
        ...body,
        resources: (body.resources as Fields[]).map(({ storageVersionHash, ...rest }) => rest),
      })),
    )
    sameEach([
      ['a custom group', 200, 'GET', `/apis/${group}`],
      ['a built-in group', 200, 'GET', '/apis/apps'],
      ['another built-in group', 200, 'GET', '/apis/batch'],
      ['a group that is not there', 404, 'GET', '/apis/none.example.dev'],
      ['a version that is not there', 404, 'GET', '/apis/apps/v9'],
      ['a core version that is not there', 404, 'GET', '/api/v9'],
    ])
    same('the core versions', 200, () =>
      picked('/api', ({ serverAddressByClientCIDRs, ...rest }) => rest),
    )
    same('the groups, with the needed ones in their order', 200, () =>
      picked('/apis', (body) => {
        const wanted = new Set(Object.keys(needed).map((path) => path.split('/')[2]))
        const groups = (body.groups as Fields[]).filter(({ name }) => wanted.has(String(name)))
        return {
          ...body,
          groups: groups.filter(
            ({ name }) =>
              !['networking.k8s.io', 'coordination.k8s.io', 'scheduling.k8s.io'].includes(
                String(name),
              ),
          ),
        }
      }),
    )
    const aggregate = async (path: string, name: string) => {
      const answer = await client.get(path, { accept: `${aggregated},application/json` })
      const items = (
        answer.body as { items: { metadata: { name?: string }; versions: Fields[] }[] }
      ).items
      const found = items.find(({ metadata }) => (metadata.name ?? '') === name)
      return { ...answer, body: JSON.parse(JSON.stringify(found ?? null)) as Json }
    }
    for (const name of [
      'apps',
      'batch',
      'rbac.authorization.k8s.io',
      'events.k8s.io',
      'authorization.k8s.io',
      'apiextensions.k8s.io',
    ]) {
      same(`aggregated discovery of ${name}`, 200, async () => {
        const answer = await aggregate('/apis', name)
        const { versions, ...rest } = answer.body as { versions: Fields[] } & Fields
        const wanted = needed[`/apis/${name}/v1`] ?? []
        const resources = (versions[0]?.resources ?? []) as Fields[]
        return {
          ...answer,
          body: {
            ...rest,
            first: {
              ...versions[0],
              resources: resources.filter(({ resource }) => wanted.includes(String(resource))),
            },
          },
        }
      })
    }
    same('aggregated discovery of a custom group', 200, () => aggregate('/apis', group))
    test('aggregated discovery can be cached', async () => {
      const first = await client.get('/apis', { accept: `${aggregated},application/json` })
      expect(first.headers['content-type']).toBe(aggregated)
      expect(first.headers.vary).toContain('Accept')
      const etag = String(first.headers.etag)
      const second = await client.get('/apis', {
        accept: `${aggregated},application/json`,
        headers: { 'if-none-match': etag },
      })
      expect(second.code).toBe(304)
    })
    same('aggregated discovery of an unknown version falls back', 200, () =>
      client
        .get('/api', {
          accept:
            'application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json',
        })
        .then((answer) => {
          const { serverAddressByClientCIDRs, ...rest } = answer.body as Fields
          return { ...answer, body: rest }
        }),
    )
  })

  describe('OpenAPI', () => {
    test('v3 lists a document for each group version', async () => {
      const { body } = await client.get('/openapi/v3')
      const { paths } = body as { paths: Record<string, { serverRelativeURL: string }> }
      for (const path of Object.keys(needed)) expect(Object.keys(paths)).toContain(path.slice(1))
      expect(paths['api/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]+$/)
    })
    const document = async (path: string) =>
      (await client.get(`/openapi/v3/${path}`)).body as {
        paths: Record<string, Record<string, Fields>>
        components: { schemas: Record<string, Fields> }
      }
    test.each(['api/v1', 'apis/apps/v1', `apis/${group}/v1`])(
      'v3 of %s tells kubectl that fields are validated',
      async (path) => {
        const { paths } = await document(path)
        const patches = Object.values(paths).flatMap(({ patch }) =>
          patch?.['x-kubernetes-action'] === 'patch' ? [patch] : [],
        )
        expect(patches.length).toBeGreaterThan(0)
        for (const { parameters } of patches) {
          const names = (parameters as Fields[]).map(({ name }) => name)
          expect(names).toEqual(
            expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']),
          )
        }
      },
    )
    test('v3 names the kind of each operation', async () => {
      const { paths } = await document(`apis/${group}/v1`)
      const operation = paths[`/apis/${group}/v1/namespaces/{namespace}/widgets/{name}`]?.get
      expect(operation?.['x-kubernetes-group-version-kind']).toEqual({
        group,
        version: 'v1',
        kind: 'Widget',
      })
      expect(operation?.['x-kubernetes-action']).toBe('get')
    })
    test('v3 has the schema of a custom resource', async () => {
      const { components } = await document(`apis/${group}/v1`)
      const schema = Object.values(components.schemas).find((each) =>
        JSON.stringify(each['x-kubernetes-group-version-kind'] ?? '').includes('"Widget"'),
      )
      const properties = schema?.properties as Record<string, Fields>
      expect(Object.keys(properties).sort()).toEqual([
        'apiVersion',
        'kind',
        'metadata',
        'spec',
        'status',
      ])
      const { size, tags } = (properties.spec?.properties ?? {}) as Record<string, Fields>
      expect(size).toEqual({ type: 'integer', minimum: 0, maximum: 100 })
      expect(tags).toEqual({
        type: 'array',
        'x-kubernetes-list-type': 'set',
        items: { type: 'string' },
      })
    })
    test('v3 has schemas with merge keys', async () => {
      const { components } = await document('api/v1')
      const spec = components.schemas['io.k8s.api.core.v1.PodSpec']?.properties as Record<
        string,
        Fields
      >
      expect(spec.containers).toMatchObject({
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-list-type': 'map',
      })
    })
    test('v2 is JSON', async () => {
      const { code, body } = await client.get('/openapi/v2')
      expect(code).toBe(200)
      expect(valueAt({ code, body, headers: {}, text: '' }, 'swagger')).toBe('2.0')
    })
    sameEach([['v3 of what is not there', 404, 'GET', '/openapi/v3/apis/none/v1']])
    same(
      'v3 with a hash may be cached for ever',
      200,
      async () => {
        const { body } = await client.get('/openapi/v3')
        const { paths } = body as { paths: Record<string, { serverRelativeURL: string }> }
        const answer = await client.get(paths['api/v1']?.serverRelativeURL ?? '')
        expect(answer.headers['cache-control']).toBe('public, immutable')
        expect(answer.headers.etag).toBeDefined()
        return { ...answer, body: 'long' }
      },
      hashes,
    )
  })

  describe('health', () => {
    sameEach(
      [
        '/healthz',
        '/livez',
        '/readyz',
        '/healthz/ping',
        '/livez/ping',
        '/readyz/ping',
        '/healthz/etcd',
      ].map((path) => [path, 200, 'GET', path]),
    )
    sameEach([
      ['a check that does not exist', 404, 'GET', '/healthz/nothing'],
      ['health needs no token', 200, 'GET', '/healthz', undefined, { token: null }],
      ['readiness needs no token', 200, 'GET', '/readyz', undefined, { token: null }],
    ])
    test('may be verbose', async () => {
      const { text } = await client.get('/readyz?verbose')
      expect(text).toContain('[+]ping ok\n')
      expect(text).toMatch(/readyz check passed\n$/)
    })
    test('may leave a check out', async () => {
      const { text } = await client.get('/readyz?verbose&exclude=etcd')
      expect(text).toContain('[+]etcd excluded: ok\n')
    })
    test('the version is that of Kubernetes 1.36', async () => {
      const { code, body } = await client.get('/version', { token: null })
      expect(code).toBe(200)
      expect(body).toMatchObject({
        major: '1',
        minor: '36',
        gitVersion: expect.stringMatching(/^v1\.36\./),
      })
    })
    test('metrics are for those who may read them', async () => {
      const { code, text, headers } = await client.get('/metrics', { accept: '*/*' })
      expect(code).toBe(200)
      expect(headers['content-type']).toContain('text/plain')
      expect(text).toContain('# TYPE apiserver_request_total counter')
      expect((await client.get('/metrics', { token: null })).code).toBe(403)
    })
  })

  test('every answer has an id', async () => {
    const { headers } = await client.get('/api/v1/namespaces')
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('answers may not be kept', async () => {
    const { headers } = await client.get('/api/v1/namespaces')
    expect(headers['cache-control']).toBe('no-cache, private')
  })
})
