import { beforeAll, expect, test } from 'vitest'
import { bodies, meta } from './protobuf-bodies.ts'
import { encodeObject, entries } from './protobuf-message.ts'
import { conformance, type Row } from './suite.ts'

const type = 'application/vnd.kubernetes.protobuf'

conformance('protobuf', ({ client, namespace, same, sameEach }) => {
  const base = (apiVersion: string) => (apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`)

  sameEach(
    bodies.map(([plural, apiVersion, kind, message]): Row => {
      const at = `${base(apiVersion)}/namespaces/${namespace}/${plural}?dryRun=All`
      return [
        `a ${kind} may be created`,
        201,
        'POST',
        at,
        encodeObject(apiVersion, kind, message),
        { type },
      ]
    }),
  )

  const reviews = '/apis/authorization.k8s.io/v1'
  sameEach([
    [
      'a Namespace may be created',
      201,
      'POST',
      '/api/v1/namespaces?dryRun=All',
      encodeObject('v1', 'Namespace', meta('x')),
      { type },
    ],
    [
      'a ClusterRole may be created',
      201,
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All',
      encodeObject('rbac.authorization.k8s.io/v1', 'ClusterRole', [
        ...meta('x'),
        [
          2,
          [
            [1, 'get'],
            [5, '/healthz'],
          ],
        ],
      ]),
      { type },
    ],
    [
      'a ClusterRoleBinding may be created',
      201,
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?dryRun=All',
      encodeObject('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', [
        ...meta('x'),
        [
          2,
          [
            [1, 'Group'],
            [2, 'rbac.authorization.k8s.io'],
            [3, 'team'],
          ],
        ],
        [
          3,
          [
            [1, 'rbac.authorization.k8s.io'],
            [2, 'ClusterRole'],
            [3, 'view'],
          ],
        ],
      ]),
      { type },
    ],
    [
      'a PriorityClass may be created',
      201,
      'POST',
      '/apis/scheduling.k8s.io/v1/priorityclasses?dryRun=All',
      encodeObject('scheduling.k8s.io/v1', 'PriorityClass', [
        ...meta('x'),
        [2, -5],
        [3, false],
        [4, 'words'],
        [5, 'Never'],
      ]),
      { type },
    ],
    [
      'one may ask what one may do',
      201,
      'POST',
      `${reviews}/selfsubjectaccessreviews`,
      encodeObject('authorization.k8s.io/v1', 'SelfSubjectAccessReview', [
        [
          2,
          [
            [
              1,
              [
                [1, namespace],
                [2, 'get'],
                [5, 'pods'],
              ],
            ],
          ],
        ],
      ]),
      { type },
    ],
    [
      'users may query their own identity',
      201,
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      encodeObject('authentication.k8s.io/v1', 'SelfSubjectReview', []),
      { type },
    ],
    [
      'a body that is not valid protobuf',
      400,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps`,
      Buffer.from('nonsense'),
      { type },
    ],
    [
      'a body that is cut',
      400,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps`,
      encodeObject('v1', 'ConfigMap', meta('x')).subarray(0, 20),
      { type },
    ],
    [
      'a body that is empty',
      400,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps`,
      Buffer.from('k8s\0'),
      { type },
    ],
    [
      'a body of another kind',
      400,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps`,
      encodeObject('v1', 'Secret', meta('x')),
      { type },
    ],
    [
      'a body of an unknown kind',
      400,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps`,
      encodeObject('v1', 'Oddity', meta('x')),
      { type },
    ],
    [
      'a body with a wrong name',
      422,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps`,
      encodeObject('v1', 'ConfigMap', meta('A_')),
      { type },
    ],
    [
      'a body with a field that is unknown',
      201,
      'POST',
      `/api/v1/namespaces/${namespace}/configmaps?dryRun=All&fieldValidation=Strict`,
      encodeObject('v1', 'ConfigMap', [...meta('x'), [99, 'odd']]),
      { type },
    ],
  ])

  beforeAll(async () => {
    const made = await client.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: 'tokens' },
    })
    expect(made.code).toBe(201)
  })

  same(
    'a token may be asked for',
    201,
    () =>
      client.send(
        'POST',
        `/api/v1/namespaces/${namespace}/serviceaccounts/tokens/token`,
        encodeObject('authentication.k8s.io/v1', 'TokenRequest', [
          [
            2,
            [
              [1, 'tests'],
              [4, 3600],
            ],
          ],
        ]),
        { type },
      ),
    [[/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/, '<token>']],
  )

  test('who accepts protobuf or JSON is answered in one of them', async () => {
    const answer = await client.get('/api/v1/namespaces/default', {
      accept: `${type},application/json`,
    })
    expect(answer.code).toBe(200)
    expect([type, 'application/json']).toContain(answer.headers['content-type'])
  })

  test('a put of protobuf changes an object', async () => {
    const at = `/api/v1/namespaces/${namespace}/configmaps`
    await client.send('POST', at, { metadata: { name: 'put' }, data: { a: '1' } })
    const body = encodeObject('v1', 'ConfigMap', [...meta('put'), ...entries(2, { b: '2' })])
    const answer = await client.send('PUT', `${at}/put`, body, { type })
    expect(answer.body).toMatchObject({ data: { b: '2' } })
  })

  test('options of a deletion may be protobuf', async () => {
    const at = `/api/v1/namespaces/${namespace}/configmaps`
    await client.send('POST', at, { metadata: { name: 'gone' } })
    const options = encodeObject('v1', 'DeleteOptions', [[4, 'Background']])
    expect((await client.send('DELETE', `${at}/gone`, options, { type })).code).toBe(200)
  })
})
