import { beforeAll, expect } from 'vitest'
import { builtinsIn, containers, named, workload } from './builtin-objects.ts'
import type { Fields } from './client.ts'
import { applied, merge } from './patch-formats.ts'
import { conformance, type Row } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
/** Ages of objects. */
const ages = [[/^(\d+[smh])+$/, '<age>']] as const
const tableOrJson = { accept: `${table.accept},application/json` }

conformance('subresource-tables', (suite) => {
  const { client, namespace, group, same } = suite
  const { pods, deployments, core } = builtinsIn(namespace)
  const { path, widget } = widgetsOf(suite)
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale' }
  const account = core('serviceaccounts/default/token')

  beforeAll(async () => {
    await serve(client, fullWidgetDefinition(group))
    const spec = { automountServiceAccountToken: false, containers }
    const made = [
      await client.send('POST', deployments, named('web', { spec: workload })),
      await client.send('POST', pods, named('one', { spec })),
      await client.send('POST', path, widget('one', { spec: { size: 1, replicas: 3 } })),
    ]
    for (const answer of made) expect(answer.code, answer.text).toBe(201)
  })

  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'one' } }
  const binding = { metadata: { name: 'one' }, target: { kind: 'Node', name: 'somewhere' } }
  const rows: Row[] = [
    ['scale of a deployment', 200, 'GET', `${deployments}/web/scale`, undefined, table],
    ['status of a deployment', 200, 'GET', `${deployments}/web/status`, undefined, table],
    ['status of a pod', 200, 'GET', `${pods}/one/status`, undefined, table],
    [
      'status of a namespace',
      200,
      'GET',
      `/api/v1/namespaces/${namespace}/status`,
      undefined,
      table,
    ],
    ['ephemeral containers', 406, 'GET', `${pods}/one/ephemeralcontainers`, undefined, table],
    ['scale of a widget', 200, 'GET', `${path}/one/scale`, undefined, table],
    ['status of a widget', 200, 'GET', `${path}/one/status`, undefined, table],
    [
      'patch of a scale',
      200,
      'PATCH',
      `${deployments}/web/scale`,
      { spec: { replicas: 2 } },
      { ...merge, ...table },
    ],
    [
      'patch of the scale of a widget',
      200,
      'PATCH',
      `${path}/one/scale`,
      { spec: { replicas: 2 } },
      { ...merge, ...table },
    ],
    ['eviction', 406, 'POST', `${pods}/one/eviction?dryRun=All`, eviction, table],
    [
      'eviction as a table or an object',
      201,
      'POST',
      `${pods}/one/eviction?dryRun=All`,
      eviction,
      tableOrJson,
    ],
    ['binding', 406, 'POST', `${pods}/one/binding?dryRun=All`, binding, table],
    ['token request', 406, 'POST', account, { spec: { audiences: [] } }, table],
    ...['selfsubjectaccessreviews', 'subjectaccessreviews', 'selfsubjectrulesreviews'].map(
      (plural) =>
        [
          plural,
          406,
          'POST',
          `/apis/authorization.k8s.io/v1/${plural}`,
          { spec: {} },
          table,
        ] as const,
    ),
    [
      'tokenreviews',
      406,
      'POST',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      { spec: { token: 'a' } },
      table,
    ],
    [
      'selfsubjectreviews',
      406,
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      table,
    ],
  ]
  for (const [title, code, ...request] of rows) {
    same(title, code, () => client.send(...request), ages)
  }

  const apply = (target: string, body: Fields) =>
    client.send(
      'PATCH',
      `${target}/scale?fieldManager=a&force=true`,
      { ...scale, ...body },
      applied,
    )
  same('apply of a scale without a name', 200, () =>
    apply(`${deployments}/web`, { spec: { replicas: 4 } }),
  )
  same('apply of a scale with empty metadata', 200, () =>
    apply(`${deployments}/web`, { metadata: {}, spec: { replicas: 5 } }),
  )
  same('apply of a scale with another name', 400, () =>
    apply(`${deployments}/web`, { metadata: { name: 'other' }, spec: { replicas: 5 } }),
  )
})
