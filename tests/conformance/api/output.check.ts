import { beforeAll, describe, expect, test } from 'vitest'
import { conformance, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
const partialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

conformance('output', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const ages = [[/^(\d+[smh])+$/, '<age>']] as const

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    await client.send(
      'POST',
      path,
      widget('a', { spec: { size: 1, color: 'red' } }, { labels: { x: 'y' } }),
    )
    await client.send('POST', path, widget('b'))
    await client.send('POST', maps, { metadata: { name: 'a' }, data: { a: '1', b: '2' } })
  })

  describe('tables', () => {
    const tables: readonly (readonly [string, string])[] = [
      ['custom resources', path],
      ['one custom resource', `${path}/a`],
      ['custom resources with whole objects', `${path}?includeObject=Object`],
      ['custom resources without objects', `${path}?includeObject=None`],
      ['a page of custom resources', `${path}?limit=1`],
      ['none at all', `${path}?labelSelector=none`],
      ['config maps', `${maps}?fieldSelector=metadata.name%3Da`],
      ['one config map', `${maps}/a`],
      ['namespaces', '/api/v1/namespaces/default'],
      [
        'service accounts',
        `/api/v1/namespaces/${namespace}/serviceaccounts?fieldSelector=metadata.name%3Dx`,
      ],
      ['secrets', `/api/v1/namespaces/${namespace}/secrets`],
      ['pods', `/api/v1/namespaces/${namespace}/pods`],
      ['services', `/api/v1/namespaces/${namespace}/services`],
      ['events', `/api/v1/namespaces/${namespace}/events`],
      ['deployments', `/apis/apps/v1/namespaces/${namespace}/deployments`],
      ['replica sets', `/apis/apps/v1/namespaces/${namespace}/replicasets`],
      ['stateful sets', `/apis/apps/v1/namespaces/${namespace}/statefulsets`],
      ['daemon sets', `/apis/apps/v1/namespaces/${namespace}/daemonsets`],
      ['jobs', `/apis/batch/v1/namespaces/${namespace}/jobs`],
      ['cron jobs', `/apis/batch/v1/namespaces/${namespace}/cronjobs`],
      ['leases', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`],
      ['roles', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`],
      ['role bindings', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`],
      ['persistent volume claims', `/api/v1/namespaces/${namespace}/persistentvolumeclaims`],
      ['ingresses', `/apis/networking.k8s.io/v1/namespaces/${namespace}/ingresses`],
      ['network policies', `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`],
      ['autoscalers', `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`],
      ['disruption budgets', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`],
      ['resource quotas', `/api/v1/namespaces/${namespace}/resourcequotas`],
      ['limit ranges', `/api/v1/namespaces/${namespace}/limitranges`],
      ['endpoints', `/api/v1/namespaces/${namespace}/endpoints`],
      ['endpoint slices', `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`],
      [
        'one definition',
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`,
      ],
    ]
    for (const [what, at] of tables) {
      same(`a table of ${what}`, 200, () => client.get(at, { accept: table }), ages)
    }
    test('a column has the description of its definition', async () => {
      const answer = await client.get(path, { accept: table })
      expect(valueAt(answer, 'columnDefinitions.1.description')).toBe('How big')
    })
    same(
      'an old table is a table',
      200,
      () => client.get(path, { accept: table.replace('v1;', 'v1beta1;') }),
      ages,
    )
    same('a table of an unknown version is not returned', 406, () =>
      client.get(path, { accept: table.replace('v=v1', 'v=v9') }),
    )
    same('a table of an unknown group is not returned', 406, () =>
      client.get(path, { accept: table.replace('meta.k8s.io', 'x') }),
    )
    same(
      'what kubectl asks for is a table',
      200,
      () =>
        client.get(path, {
          accept: `${table},${table.replace('v1;', 'v1beta1;')},application/json`,
        }),
      ages,
    )
    same('an unknown choice of objects', 400, () =>
      client.get(`${path}?includeObject=Some`, { accept: table }),
    )
    same(
      'what is created may be a table',
      201,
      () => client.send('POST', `${path}?dryRun=All`, widget('new'), { accept: table }),
      ages,
    )
    same('a deleted object is a status all the same', 200, async () => {
      await client.send('POST', maps, { metadata: { name: 'gone' } })
      return client.send('DELETE', `${maps}/gone`, undefined, { accept: table })
    })
    same('an error is a status all the same', 404, () =>
      client.get(`${path}/none`, { accept: `${table},application/json` }),
    )
    same(
      'events of a watch are tables, and columns come once',
      200,
      async () => {
        const watch = await client.watch(`${path}?watch=true`, { accept: table })
        const events = await watch.take(2)
        watch.close()
        return {
          code: watch.code,
          headers: watch.headers,
          text: '',
          body: JSON.parse(JSON.stringify(events)),
        }
      },
      ages,
    )
  })

  describe('metadata alone', () => {
    sameEach([
      ['of one object', 200, 'GET', `${path}/a`, undefined, { accept: partial }],
      ['of a list', 200, 'GET', path, undefined, { accept: partialList }],
      [
        'of a list of config maps',
        200,
        'GET',
        `${maps}?fieldSelector=metadata.name%3Da`,
        undefined,
        { accept: partialList },
      ],
      [
        'of one object, asked for as a list',
        500,
        'GET',
        `${path}/a`,
        undefined,
        { accept: partialList },
      ],
      ['of a list, asked for as one', 406, 'GET', path, undefined, { accept: partial }],
      [
        'of what is created',
        201,
        'POST',
        `${maps}?dryRun=All`,
        { metadata: { name: 'new' } },
        { accept: partial },
      ],
    ])
    same('of a watch', 200, async () => {
      const watch = await client.watch(`${path}?watch=true`, { accept: partial })
      const events = await watch.take(2)
      watch.close()
      return {
        code: watch.code,
        headers: watch.headers,
        text: '',
        body: JSON.parse(JSON.stringify(events)),
      }
    })
  })

  describe('what a client accepts', () => {
    sameEach([
      ['anything', 200, 'GET', `${path}/a`, undefined, { accept: '*/*' }],
      ['any application', 200, 'GET', `${path}/a`, undefined, { accept: 'application/*' }],
      [
        'with a quality',
        200,
        'GET',
        `${path}/a`,
        undefined,
        { accept: 'text/html;q=0.9, application/json;q=0.5' },
      ],
      ['plain text', 406, 'GET', `${path}/a`, undefined, { accept: 'text/plain' }],
      [
        'protobuf of a custom resource',
        406,
        'GET',
        `${path}/a`,
        undefined,
        { accept: 'application/vnd.kubernetes.protobuf' },
      ],
      [
        'protobuf or JSON of a custom resource',
        200,
        'GET',
        `${path}/a`,
        undefined,
        { accept: 'application/vnd.kubernetes.protobuf,application/json' },
      ],
      ['nonsense', 406, 'GET', `${path}/a`, undefined, { accept: 'nonsense' }],
    ])
    test('YAML', async () => {
      const answer = await client.get(`${path}/a`, { accept: 'application/yaml' })
      expect(answer.headers['content-type']).toBe('application/yaml')
      expect(answer.text).toContain('\nkind: Widget\n')
    })
    test('JSON made readable', async () => {
      expect((await client.get(`${path}/a?pretty=true`)).text).toContain('{\n  "apiVersion": ')
      expect((await client.get(`${path}/a`)).text).toMatch(/^{"apiVersion":/)
    })
    test('compressed when it is large', async () => {
      const data = { large: 'x'.repeat(300_000) }
      await client.send('POST', maps, { metadata: { name: 'large' }, data })
      const zipped = await client.get(`${maps}/large`, { headers: { 'accept-encoding': 'gzip' } })
      expect(zipped.headers['content-encoding']).toBe('gzip')
      const small = await client.get(`${maps}/a`, { headers: { 'accept-encoding': 'gzip' } })
      expect(small.headers['content-encoding']).toBeUndefined()
      await client.send('DELETE', `${maps}/large`)
    })
  })

  describe('methods', () => {
    sameEach([
      ['a head request', 200, 'HEAD', `${path}/a`],
      ['options', 405, 'OPTIONS', `${maps}/a`],
    ])
  })

  describe('limits', () => {
    test('a body of more than three mebibytes is refused', async () => {
      const body = JSON.stringify({
        metadata: { name: 'huge' },
        data: { a: 'x'.repeat(3 * 1024 * 1024) },
      })
      const answer = await client.send('POST', maps, body)
      expect(answer.code).toBe(413)
      expect(valueAt(answer, 'reason')).toBe('RequestEntityTooLarge')
    })
    same('a body of more than three mebibytes is refused with these words', 413, () =>
      client.send(
        'POST',
        maps,
        JSON.stringify({ metadata: { name: 'huge' }, data: { a: 'x'.repeat(3 * 1024 * 1024) } }),
      ),
    )
    same('a config map has at most one mebibyte', 422, () =>
      client.send('POST', maps, {
        metadata: { name: 'big' },
        data: { a: 'x'.repeat(1024 * 1024 + 1) },
      }),
    )
  })
})
