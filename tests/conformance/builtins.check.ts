import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { conformance, type Row, valueAt } from './suite.ts'

type Fields = { [key: string]: Json }
const merge = { type: 'application/merge-patch+json' }
const containers = [{ name: 'a', image: 'a' }]
const labels = { app: 'a' }
const template: Fields = { metadata: { labels }, spec: { containers } }
const workload: Fields = { replicas: 0, selector: { matchLabels: labels }, template }
const once: Fields = { spec: { restartPolicy: 'Never', containers } }
const job: Fields = { suspend: true, template: once }

conformance('builtins', ({ client, namespace, same, sameEach }) => {
  const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`
  const of = (group: string, plural: string) => `/apis/${group}/namespaces/${namespace}/${plural}`
  const rbac = 'rbac.authorization.k8s.io/v1'
  const pods = core('pods')
  const jobs = of('batch/v1', 'jobs')
  const deployments = of('apps/v1', 'deployments')
  const named = (name: string, rest: Fields = {}): Fields => ({ metadata: { name }, ...rest })
  const dry = (path: string) => `${path}?dryRun=All`
  const make = (what: string, code: number, path: string, rest: Fields): Row => [
    what,
    code,
    'POST',
    dry(path),
    named('x', rest),
  ]

  describe('are given defaults', () => {
    sameEach([
      make('a deployment', 201, deployments, { spec: workload }),
      make('a replica set', 201, of('apps/v1', 'replicasets'), { spec: workload }),
      make('a stateful set', 201, of('apps/v1', 'statefulsets'), {
        spec: { ...workload, serviceName: 'a' },
      }),
      make('a daemon set', 201, of('apps/v1', 'daemonsets'), {
        spec: { selector: { matchLabels: labels }, template },
      }),
      make('a lease', 201, of('coordination.k8s.io/v1', 'leases'), {
        spec: {
          holderIdentity: 'a',
          leaseDurationSeconds: 15,
          renewTime: '2001-01-01T00:00:00.123456Z',
        },
      }),
      make('a role', 201, of(rbac, 'roles'), {
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
      }),
      make('a role binding', 201, of(rbac, 'rolebindings'), {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [
          { kind: 'User', name: 'a' },
          { kind: 'ServiceAccount', name: 'b', namespace },
        ],
      }),
      make('a claim', 201, core('persistentvolumeclaims'), {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      make('a network policy', 201, of('networking.k8s.io/v1', 'networkpolicies'), {
        spec: { podSelector: {} },
      }),
      make('an ingress', 201, of('networking.k8s.io/v1', 'ingresses'), {
        spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
      }),
      make('a disruption budget', 201, of('policy/v1', 'poddisruptionbudgets'), {
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      }),
      make('an autoscaler', 201, of('autoscaling/v2', 'horizontalpodautoscalers'), {
        spec: {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        },
      }),
      make('an old autoscaler', 201, of('autoscaling/v1', 'horizontalpodautoscalers'), {
        spec: {
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 50,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        },
      }),
      make('a quota', 201, core('resourcequotas'), {
        spec: { hard: { pods: '5', 'requests.cpu': '0.5' } },
      }),
      make('a limit range', 201, core('limitranges'), {
        spec: { limits: [{ type: 'Container', default: { cpu: '500m' } }] },
      }),
      make('endpoints', 201, core('endpoints'), {
        subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
      }),
      make('a service account', 201, core('serviceaccounts'), {}),
      make('a cron job', 201, of('batch/v1', 'cronjobs'), {
        spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: once } } },
      }),
      make('a config map with bytes', 201, core('configmaps'), {
        data: { a: 'b' },
        binaryData: { c: 'aGk=' },
      }),
      make('a config map that is immutable', 201, core('configmaps'), {
        data: { a: 'b' },
        immutable: true,
      }),
      make('an event', 201, core('events'), {
        involvedObject: { kind: 'Pod', name: 'a', namespace },
        reason: 'R',
        message: 'm',
        type: 'Normal',
        source: { component: 'c' },
      }),
      [
        'a priority class',
        201,
        'POST',
        dry('/apis/scheduling.k8s.io/v1/priorityclasses'),
        named('x', { value: 5 }),
      ],
      ['a node', 201, 'POST', dry('/api/v1/nodes'), named('x')],
      ['a namespace', 201, 'POST', dry('/api/v1/namespaces'), named('x')],
      [
        'a cluster role',
        201,
        'POST',
        dry(`/apis/${rbac}/clusterroles`),
        named('x', { rules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }] }),
      ],
      [
        'a cluster role that is aggregated',
        201,
        'POST',
        dry(`/apis/${rbac}/clusterroles`),
        named('x', { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }),
      ],
      [
        'a cluster role binding',
        201,
        'POST',
        dry(`/apis/${rbac}/clusterrolebindings`),
        named('x', {
          roleRef: { kind: 'ClusterRole', name: 'view' },
          subjects: [{ kind: 'Group', name: 'g' }],
        }),
      ],
    ])
    const uids = [[/"controller-uid":"[^"]*"/g, '"controller-uid":"<uid>"']] as const
    same('a job', 201, () => client.send('POST', dry(jobs), named('x', { spec: job })), uids)
    const volumes = [[/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>']] as const
    same(
      'a pod',
      201,
      () => client.send('POST', dry(pods), named('x', { spec: { containers } })),
      volumes,
    )
    same(
      'a pod with much in it',
      201,
      () =>
        client.send(
          'POST',
          dry(pods),
          named('x', {
            spec: {
              restartPolicy: 'Never',
              automountServiceAccountToken: false,
              initContainers: [{ name: 'init', image: 'i:1', command: ['a'] }],
              containers: [
                {
                  name: 'a',
                  image: 'a:latest',
                  ports: [{ containerPort: 80 }],
                  env: [
                    { name: 'A', value: 'b' },
                    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  ],
                  resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '0.1' } },
                  livenessProbe: { httpGet: { port: 80 } },
                  readinessProbe: { tcpSocket: { port: 'web' }, periodSeconds: 3 },
                  volumeMounts: [{ name: 'v', mountPath: '/v' }],
                  securityContext: { runAsUser: 0 },
                },
              ],
              volumes: [
                { name: 'v', secret: { secretName: 's' } },
                { name: 'c', configMap: { name: 'c' } },
                { name: 'e', emptyDir: {} },
                { name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
              ],
            },
          }),
        ),
      volumes,
    )
    const addresses = [
      [/^10\.\d+\.\d+\.\d+$/, '<address>'],
      [/^3\d{4}$/, '<port>'],
    ] as const
    same(
      'a service',
      201,
      () =>
        client.send(
          'POST',
          dry(core('services')),
          named('x', { spec: { selector: labels, ports: [{ port: 80 }] } }),
        ),
      addresses,
    )
    same('a service without an address', 201, () =>
      client.send(
        'POST',
        dry(core('services')),
        named('x', { spec: { clusterIP: 'None', selector: labels } }),
      ),
    )
    same('an external service', 201, () =>
      client.send(
        'POST',
        dry(core('services')),
        named('x', { spec: { type: 'ExternalName', externalName: 'a.dev' } }),
      ),
    )
  })

  describe('secrets', () => {
    const secrets = core('secrets')
    sameEach([
      [
        'plain text becomes base64',
        201,
        'POST',
        secrets,
        named('plain', { stringData: { a: 'hi', b: 'over' }, data: { b: 'aGk=' } }),
      ],
      ['plain text is not shown', 200, 'GET', `${secrets}/plain`],
      [
        'plain text of a patch becomes base64',
        200,
        'PATCH',
        `${secrets}/plain`,
        { stringData: { c: 'new' } },
        merge,
      ],
      ['a type cannot change', 422, 'PATCH', `${secrets}/plain`, { type: 'other' }, merge],
      [
        'an immutable one is made',
        201,
        'POST',
        secrets,
        named('fixed', { immutable: true, stringData: { a: 'b' } }),
      ],
      [
        'an immutable one stays',
        422,
        'PATCH',
        `${secrets}/fixed`,
        { stringData: { a: 'c' } },
        merge,
      ],
      [
        'an immutable one stays immutable',
        422,
        'PATCH',
        `${secrets}/fixed`,
        { immutable: false },
        merge,
      ],
      [
        'an immutable one may get a label',
        200,
        'PATCH',
        `${secrets}/fixed`,
        { metadata: { labels: { a: 'b' } } },
        merge,
      ],
      [
        'a secret by its type',
        200,
        'GET',
        `${secrets}?fieldSelector=type%3DOpaque,metadata.name%3Dplain`,
      ],
    ])
  })

  describe('config maps', () => {
    const maps = core('configmaps')
    sameEach([
      [
        'an immutable map is made',
        201,
        'POST',
        maps,
        named('fixed', { immutable: true, data: { a: 'b' } }),
      ],
      ['an immutable map stays', 422, 'PATCH', `${maps}/fixed`, { data: { a: 'c' } }, merge],
      ['an immutable map may be deleted', 200, 'DELETE', `${maps}/fixed`],
    ])
    test('every namespace has the root certificate', async () => {
      const answer = await client.get(`${maps}/kube-root-ca.crt`)
      expect((valueAt(answer, 'data') as { 'ca.crt': string })['ca.crt']).toContain(
        'BEGIN CERTIFICATE',
      )
    })
  })

  describe('events', () => {
    const events = core('events')
    const event = (name: string, kind: string): Fields => ({
      metadata: { name },
      involvedObject: { apiVersion: 'v1', kind, name: 'a', namespace, uid: 'u' },
      reason: 'Because',
      message: 'It was',
      type: 'Warning',
      count: 2,
      firstTimestamp: '2001-01-01T00:00:00Z',
      lastTimestamp: '2001-01-01T00:00:01Z',
      source: { component: 'tests', host: 'h' },
    })
    sameEach([
      ['an old event', 201, 'POST', events, event('old', 'Pod')],
      ['an old event, seen as a new one', 200, 'GET', of('events.k8s.io/v1', 'events/old')],
      [
        'a new event',
        201,
        'POST',
        of('events.k8s.io/v1', 'events'),
        named('new', {
          regarding: { kind: 'Job', name: 'b', namespace },
          reason: 'Then',
          action: 'Doing',
          note: 'So it is',
          type: 'Normal',
          eventTime: '2001-01-01T00:00:00.000001Z',
          reportingController: 'tests.dev/x',
          reportingInstance: 'i',
        }),
      ],
      ['a new event, seen as an old one', 200, 'GET', `${events}/new`],
      [
        'events of one object',
        200,
        'GET',
        `${events}?fieldSelector=involvedObject.kind%3DPod,involvedObject.name%3Da,involvedObject.uid%3Du`,
      ],
      ['events by reason', 200, 'GET', `${events}?fieldSelector=reason%3DBecause`],
      ['events by type', 200, 'GET', `${events}?fieldSelector=type%3DWarning`],
      ['events by an unknown field', 400, 'GET', `${events}?fieldSelector=odd%3Dx`],
      [
        'a new event without a time',
        422,
        'POST',
        of('events.k8s.io/v1', 'events'),
        named('wrong', { regarding: { kind: 'Job', name: 'b', namespace } }),
      ],
      [
        'new events of one object',
        200,
        'GET',
        `${of('events.k8s.io/v1', 'events')}?fieldSelector=regarding.kind%3DJob`,
      ],
      [
        'an event that is counted',
        200,
        'PATCH',
        `${events}/old`,
        { count: 3 },
        { type: 'application/strategic-merge-patch+json' },
      ],
    ])
  })

  describe('workloads', () => {
    same('a selector may not change', 422, async () => {
      await client.send(
        'POST',
        deployments,
        named('fixed', { spec: { ...workload, paused: true } }),
      )
      return client.send(
        'PATCH',
        dry(`${deployments}/fixed`),
        {
          spec: {
            selector: { matchLabels: { b: 'c' } },
            template: { metadata: { labels: { b: 'c' } } },
          },
        },
        merge,
      )
    })
    sameEach([
      [
        'a status may not be negative',
        422,
        'PATCH',
        dry(`${deployments}/fixed/status`),
        { status: { replicas: -3 } },
        merge,
      ],
    ])
  })

  describe('roles', () => {
    sameEach([
      [
        'a binding is made',
        201,
        'POST',
        of(rbac, 'rolebindings'),
        named('fixed', {
          roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' },
        }),
      ],
      [
        'a binding cannot get another role',
        422,
        'PATCH',
        of(rbac, 'rolebindings/fixed'),
        { roleRef: { name: 'edit' } },
        merge,
      ],
      [
        'a binding may get subjects',
        200,
        'PATCH',
        of(rbac, 'rolebindings/fixed'),
        { subjects: [{ kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' }] },
        merge,
      ],
    ])
    for (const name of [
      'cluster-admin',
      'admin',
      'edit',
      'view',
      'system:discovery',
      'system:basic-user',
      'system:public-info-viewer',
    ]) {
      test(`the role ${name} is there`, async () => {
        const answer = await client.get(`/apis/${rbac}/clusterroles/${name}`)
        expect(answer.code).toBe(200)
        expect((valueAt(answer, 'rules') as Json[]).length).toBeGreaterThan(0)
      })
    }
    same('the role of administrators', 200, () =>
      client.get(`/apis/${rbac}/clusterroles/cluster-admin`),
    )
    same('the binding of administrators', 200, () =>
      client.get(`/apis/${rbac}/clusterrolebindings/cluster-admin`),
    )
  })
})
