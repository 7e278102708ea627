import { entries, type Message } from './protobuf-message.ts'

export function meta(name: string, rest: Message = []): Message {
  return [[1, [[1, name], ...rest]]]
}

const container: Message = [
  [1, 'a'],
  [2, 'image:1'],
  [3, 'run'],
  [3, 'it'],
]

function pod(policy?: string): Message {
  return [[2, container], ...(policy ? ([[3, policy]] as Message) : [])]
}

function template(policy?: string, labels: Message = []): Message {
  return [
    [1, labels],
    [2, pod(policy)],
  ]
}

const labels = entries(11, { app: 'a' })

/** Bodies as kubectl and typed clients send them; numbers are those of the published .proto files. */
export const bodies: readonly (readonly [string, string, string, Message])[] = [
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
