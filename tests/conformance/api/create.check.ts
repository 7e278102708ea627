import { beforeAll, expect, test } from 'vitest'
import { conformance, stringAt, valueAt } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('create', (suite) => {
  const { client, namespace, group, same, sameEach } = suite
  const { path, everywhere, widget } = widgetsOf(suite)
  const maps = `/api/v1/namespaces/${namespace}/configmaps`

  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  sameEach([
    [
      'a custom resource gets system metadata and defaults',
      201,
      'POST',
      path,
      widget('plain', { spec: { size: 1 } }),
    ],
    [
      'a config map may be created with nothing but a name',
      201,
      'POST',
      maps,
      { metadata: { name: 'plain' } },
    ],
    [
      'system metadata that a client sends is overwritten',
      201,
      'POST',
      path,
      widget(
        'system',
        {},
        {
          uid: 'mine',
          generation: 7,
          selfLink: '/x',
          creationTimestamp: '2001-01-01T00:00:00Z',
          deletionTimestamp: '2001-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 3,
        },
      ),
    ],
    [
      'status is dropped when there is a status subresource',
      201,
      'POST',
      path,
      widget('with-status', { status: { phase: 'Done' } }),
    ],
    ['a second object of the same name is refused', 409, 'POST', path, widget('plain')],
    [
      'a second config map of the same name is refused',
      409,
      'POST',
      maps,
      { metadata: { name: 'plain' } },
    ],
    [
      'a resource version cannot be chosen',
      500,
      'POST',
      path,
      widget('versioned', {}, { resourceVersion: '5' }),
    ],
    [
      'a resource version cannot be chosen for a built-in either',
      500,
      'POST',
      maps,
      { metadata: { name: 'versioned', resourceVersion: '5' } },
    ],
    [
      'a name or a prefix for one is required',
      422,
      'POST',
      path,
      { apiVersion: `${group}/v1`, kind: 'Widget' },
    ],
    ['a built-in needs a name or a prefix for one', 422, 'POST', maps, { data: { a: 'b' } }],
    [
      'the namespace of the body must be that of the path',
      400,
      'POST',
      path,
      widget('elsewhere', {}, { namespace: 'default' }),
    ],
    [
      'a namespaced object cannot be created at the path of all namespaces',
      404,
      'POST',
      everywhere,
      widget('nowhere'),
    ],
    [
      'a custom resource may, oddly, be created at the path it is going to have',
      201,
      'POST',
      `${path}/there`,
      widget('there'),
    ],
    [
      'a missing namespace is not found',
      404,
      'POST',
      path.replace(namespace, 'no-such'),
      widget('lost'),
    ],
    [
      'a missing namespace is not found for a built-in',
      404,
      'POST',
      '/api/v1/namespaces/no-such/configmaps',
      { metadata: { name: 'lost' } },
    ],
    [
      'a prefix gets five letters of the safe alphabet',
      201,
      'POST',
      path,
      widget('', {}, { generateName: 'made-' }),
    ],
    [
      'a name wins over a prefix',
      201,
      'POST',
      path,
      widget('named', {}, { generateName: 'made-' }),
    ],
    [
      'the kind of the body must be that of the path',
      422,
      'POST',
      path,
      { ...widget('other'), kind: 'Gadget' },
    ],
    [
      'the group of the body must be that of the path',
      400,
      'POST',
      path,
      { ...widget('other'), apiVersion: 'other.example.dev/v1' },
    ],
    [
      'the version of the body must be that of the path',
      400,
      'POST',
      path,
      { ...widget('other'), apiVersion: `${group}/v2` },
    ],
    [
      'a custom resource needs a kind',
      400,
      'POST',
      path,
      { apiVersion: `${group}/v1`, metadata: { name: 'kindless' } },
    ],
    [
      'a custom resource needs an apiVersion',
      400,
      'POST',
      path,
      { kind: 'Widget', metadata: { name: 'versionless' } },
    ],
    [
      'a built-in of another kind is refused',
      400,
      'POST',
      maps,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other' } },
    ],
    [
      'a built-in of an unknown version is refused',
      400,
      'POST',
      maps,
      { apiVersion: 'v9', kind: 'ConfigMap', metadata: { name: 'other' } },
    ],
    ['a body is needed', 400, 'POST', path],
    ['a built-in needs a body', 400, 'POST', maps],
    ['a body must be JSON', 400, 'POST', path, 'no json'],
    ['the body of a built-in must be JSON', 400, 'POST', maps, '{'],
    ['a body must be an object', 400, 'POST', path, '[]'],
    ['the body of a built-in must be an object', 400, 'POST', maps, '[]'],
    ['null is not an object', 400, 'POST', path, 'null'],
    [
      'a list is not an object',
      422,
      'POST',
      path,
      { apiVersion: `${group}/v1`, kind: 'WidgetList', items: [] },
    ],
    [
      'a body may be YAML',
      201,
      'POST',
      path,
      `apiVersion: ${group}/v1\nkind: Widget\nmetadata:\n  name: yaml\nspec:\n  size: 4\n`,
      { type: 'application/yaml' },
    ],
    [
      'a built-in may be YAML',
      201,
      'POST',
      maps,
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n',
      { type: 'application/yaml' },
    ],
    [
      'a body without a type is read as JSON',
      201,
      'POST',
      maps,
      '{"metadata":{"name":"untyped"}}',
      { type: '' },
    ],
    ['an unknown type of body is refused', 415, 'POST', path, 'x', { type: 'text/plain' }],
    [
      'an unknown type of body is refused for a built-in',
      415,
      'POST',
      maps,
      'x',
      { type: 'application/xml' },
    ],
    [
      'a field manager is written down',
      201,
      'POST',
      `${path}?fieldManager=maker`,
      widget('managed', { spec: { size: 1 } }),
    ],
    [
      'the name of a field manager is limited',
      422,
      'POST',
      `${path}?fieldManager=${'x'.repeat(129)}`,
      widget('too-managed'),
    ],
    [
      'the name of a field manager is printable',
      422,
      'POST',
      `${path}?fieldManager=a%07b`,
      widget('too-managed'),
    ],
    ['an unknown dry run is refused', 422, 'POST', `${path}?dryRun=Some`, widget('dry')],
    [
      'an unknown field validation is refused',
      422,
      'POST',
      `${path}?fieldValidation=Perhaps`,
      widget('perhaps'),
    ],
    [
      'a dry run answers as if it had happened',
      201,
      'POST',
      `${path}?dryRun=All`,
      widget('dry', { spec: { size: 3 } }),
    ],
    ['a dry run keeps nothing', 404, 'GET', `${path}/dry`],
    [
      'a dry run finds errors',
      422,
      'POST',
      `${path}?dryRun=All`,
      widget('dry', { spec: { size: 300 } }),
    ],
    ['a dry run sees existing objects', 409, 'POST', `${path}?dryRun=All`, widget('plain')],
    [
      'a dry run needs the namespace',
      404,
      'POST',
      '/api/v1/namespaces/no-such/configmaps?dryRun=All',
      { metadata: { name: 'a' } },
    ],
    [
      'a resource that does not exist is not found',
      404,
      'POST',
      `/apis/${group}/v1/namespaces/${namespace}/gadgets`,
      {},
    ],
    ['a group that does not exist is not found', 404, 'POST', '/apis/no.such.group/v1/widgets', {}],
    [
      'a null field is dropped before it is checked',
      201,
      'POST',
      path,
      widget('nulls', { spec: { mode: null, nothing: null, size: null } }),
    ],
  ])

  same(
    'an invalid prefix is named as such',
    422,
    () => client.send('POST', maps, { metadata: { generateName: 'Bad_' } }),
    [[/Bad_[a-z0-9]{5}/g, 'Bad_<suffix>']],
  )

  test('a prefix longer than a name may be is cut', async () => {
    const answer = await client.send('POST', maps, { metadata: { generateName: 'a'.repeat(80) } })
    expect(stringAt(answer, 'metadata.name')).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  })

  test('two creates of one name make one object', async () => {
    const both = await Promise.all([
      client.send('POST', maps, { metadata: { name: 'race' } }),
      client.send('POST', maps, { metadata: { name: 'race' } }),
    ])
    expect(both.map(({ code }) => code).sort()).toEqual([201, 409])
  })

  test('versions of objects grow from write to write', async () => {
    const first = await client.send('POST', maps, { metadata: { name: 'grow-1' } })
    const second = await client.send('POST', path, widget('grow-2'))
    const versions = [first, second].map((each) =>
      Number(stringAt(each, 'metadata.resourceVersion')),
    )
    expect(versions[0]).toBeLessThan(versions[1] ?? 0)
    expect(valueAt(second, 'metadata.generation')).toBe(1)
    expect(valueAt(first, 'metadata.generation')).toBeUndefined()
  })

  same('an object that was created is answered with by get', 200, async () => [
    await client.send('POST', path, widget('same', { spec: { tags: ['b', 'a'] } })),
    await client.get(`${path}/same`),
  ])

  test('large integers survive', async () => {
    const body = `{"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"large"},"spec":{"count":9223372036854775807}}`
    const created = await client.send('POST', path, body)
    expect(created.text).toContain('"count":9223372036854775807')
    expect((await client.get(`${path}/large`)).text).toContain('"count":9223372036854775807')
    expect((await client.get(path)).text).toContain('"count":9223372036854775807')
  })
})
