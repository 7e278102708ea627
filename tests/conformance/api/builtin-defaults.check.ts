import {
  builtinsIn,
  containers,
  dry,
  job,
  labels,
  named,
  once,
  rbac,
  template,
  workload,
} from './builtin-objects.ts'
import { conformance } from './suite.ts'

conformance('builtin-defaults', ({ client, namespace, same, sameEach }) => {
  const { core, of, make, pods, jobs, deployments } = builtinsIn(namespace)

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
