import { beforeAll, expect, test } from 'vitest'
import { encodeObject, entries, type Message } from './protobuf-message.ts'
import { conformance, type Row } from './suite.ts'

const type = 'application/vnd.kubernetes.protobuf'
const meta = (name: string, rest: Message = []): Message => [[1, [[1, name], ...rest]]]
const container: Message = [
  [1, 'a'],
  [2, 'image:1'],
  [3, 'run'],
  [3, 'it'],
]
const pod = (policy?: string): Message => [
  [2, container],
  ...(policy ? ([[3, policy]] as Message) : []),
]
const template = (policy?: string, labels: Message = []): Message => [
  [1, labels],
  [2, pod(policy)],
]
const labels = entries(11, { app: 'a' })

/** What kubectl and typed clients send; numbers are those of the published .proto files. */
const bodies: readonly (readonly [string, string, string, Message])[] = [
  [
    'configmaps',
    'v1',
    'ConfigMap',
    [
      ...meta('x', entries(11, { a: 'b' })),
      ...entries(2, { k: 'v', empty: '' }),
      ...entries(3, { bytes: Buffer.from([0, 255]) }),
    ],
  ],
  [
    'secrets',
    'v1',
    'Secret',
    [
      ...meta('x'),
      ...entries(2, { k: Buffer.from('v') }),
      [3, 'Opaque'],
      ...entries(4, { s: 'text' }),
    ],
  ],
  ['serviceaccounts', 'v1', 'ServiceAccount', meta('x')],
  [
    'resourcequotas',
    'v1',
    'ResourceQuota',
    [...meta('x'), [2, entries(1, { pods: [[1, '5']], 'requests.cpu': [[1, '500m']] })]],
  ],
  [
    'services',
    'v1',
    'Service',
    [
      ...meta('x'),
      [
        2,
        [
          [
            1,
            [
              [1, 'web'],
              [2, 'TCP'],
              [3, 80],
              [
                4,
                [
                  [1, 0],
                  [2, 8080],
                  [3, ''],
                ],
              ],
            ],
          ],
          ...entries(2, { app: 'a' }),
          [3, 'None'],
          [4, 'ClusterIP'],
        ],
      ],
    ],
  ],
  [
    'events',
    'v1',
    'Event',
    [
      ...meta('x'),
      [
        2,
        [
          [1, 'Pod'],
          [2, 'conformance-protobuf'],
          [3, 'p'],
          [4, 'u'],
          [5, 'v1'],
        ],
      ],
      [3, 'Because'],
      [4, 'message'],
      [5, [[1, 'tests']]],
      [
        6,
        [
          [1, 1_000_000_000],
          [2, 0],
        ],
      ],
      [
        7,
        [
          [1, 1_000_000_001],
          [2, 0],
        ],
      ],
      [8, 3],
      [9, 'Normal'],
    ],
  ],
  [
    'roles',
    'rbac.authorization.k8s.io/v1',
    'Role',
    [
      ...meta('x'),
      [
        2,
        [
          [1, 'get'],
          [1, 'list'],
          [2, ''],
          [3, 'pods'],
          [4, 'only'],
        ],
      ],
    ],
  ],
  [
    'rolebindings',
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    [
      ...meta('x'),
      [
        2,
        [
          [1, 'ServiceAccount'],
          [2, ''],
          [3, 'sa'],
          [4, 'conformance-protobuf'],
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
    ],
  ],
  [
    'jobs',
    'batch/v1',
    'Job',
    [
      ...meta('x'),
      [
        2,
        [
          [5, true],
          [4, entries(1, { app: 'a' })],
          [6, template('Never', labels)],
          [7, 2],
          [8, 60],
        ],
      ],
    ],
  ],
  [
    'cronjobs',
    'batch/v1',
    'CronJob',
    [
      ...meta('x'),
      [
        2,
        [
          [1, '*/5 * * * *'],
          [3, 'Forbid'],
          [5, [[2, [[6, template('OnFailure')]]]]],
        ],
      ],
    ],
  ],
  [
    'deployments',
    'apps/v1',
    'Deployment',
    [
      ...meta('x'),
      [
        2,
        [
          [1, 2],
          [2, entries(1, { app: 'a' })],
          [3, template(undefined, labels)],
        ],
      ],
    ],
  ],
  [
    'leases',
    'coordination.k8s.io/v1',
    'Lease',
    [
      ...meta('x'),
      [
        2,
        [
          [1, 'holder'],
          [2, 15],
          [
            3,
            [
              [1, 1_000_000_000],
              [2, 5000],
            ],
          ],
          [5, 1],
        ],
      ],
    ],
  ],
  [
    'poddisruptionbudgets',
    'policy/v1',
    'PodDisruptionBudget',
    [
      ...meta('x'),
      [
        2,
        [
          [
            1,
            [
              [1, 1],
              [2, 0],
              [3, '50%'],
            ],
          ],
          [2, entries(1, { app: 'a' })],
        ],
      ],
    ],
  ],
  [
    'ingresses',
    'networking.k8s.io/v1',
    'Ingress',
    [
      ...meta('x'),
      [
        2,
        [
          [4, 'nginx'],
          [
            3,
            [
              [1, 'a.dev'],
              [
                2,
                [
                  [
                    1,
                    [
                      [
                        1,
                        [
                          [1, '/'],
                          [3, 'Prefix'],
                          [
                            2,
                            [
                              [
                                4,
                                [
                                  [1, 'svc'],
                                  [2, [[1, 'web']]],
                                ],
                              ],
                            ],
                          ],
                        ],
                      ],
                    ],
                  ],
                ],
              ],
            ],
          ],
        ],
      ],
    ],
  ],
  [
    'horizontalpodautoscalers',
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    [
      ...meta('x'),
      [
        2,
        [
          [
            1,
            [
              [1, 'Deployment'],
              [2, 'd'],
              [3, 'apps/v1'],
            ],
          ],
          [2, 1],
          [3, 5],
          [4, 80],
        ],
      ],
    ],
  ],
]

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
      'one may ask who one is',
      201,
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      encodeObject('authentication.k8s.io/v1', 'SelfSubjectReview', []),
      { type },
    ],
    [
      'a body that is no protobuf',
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
