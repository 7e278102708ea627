import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { conformance, type Row, valueAt } from './suite.ts'
import { until } from './until.ts'

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

  test('the default account is there before pods are', async () => {
    await until(async () => (await client.get(core('serviceaccounts/default'))).code === 200)
    await until(async () => (await client.get(core('configmaps/kube-root-ca.crt'))).code === 200)
  })

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

  describe('are refused', () => {
    const pod = (what: string, spec: Fields, code = 422): Row =>
      make(`a pod with ${what}`, code, pods, { spec: { containers, ...spec } })
    const container = (what: string, change: Fields, code = 422): Row =>
      pod(what, { containers: [{ name: 'a', image: 'a', ...change }] }, code)
    sameEach([
      pod('no containers', { containers: [] }),
      pod('two containers of one name', { containers: [...containers, ...containers] }),
      pod('an unknown restart policy', { restartPolicy: 'Sometimes' }),
      pod('an unknown DNS policy', { dnsPolicy: 'Odd' }),
      pod('a service account that is not there', { serviceAccountName: 'none' }, 403),
      pod('a node selector that is wrong', { nodeSelector: { 'a b': 'c' } }),
      pod('a volume without a source of a wrong name', { volumes: [{ name: 'A_' }] }),
      pod('a volume twice', {
        volumes: [
          { name: 'v', emptyDir: {} },
          { name: 'v', emptyDir: {} },
        ],
      }),
      pod('a volume with two sources', {
        volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }],
      }),
      pod('a deadline of zero', { activeDeadlineSeconds: 0 }),
      pod('a negative grace, which becomes one second', { terminationGracePeriodSeconds: -1 }, 201),
      container('no name', { name: '' }),
      container('a name that is no label', { name: 'A_' }),
      container('no image', { image: '' }),
      container('an unknown pull policy', { imagePullPolicy: 'Later' }),
      container('a port that is none', { ports: [{ containerPort: 99999 }] }),
      container('an unknown protocol', { ports: [{ containerPort: 80, protocol: 'Smoke' }] }),
      container('a variable without a name', { env: [{ name: '', value: 'x' }] }),
      container('a variable with two values', {
        env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      }),
      container('a variable of an unknown field', {
        env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.odd' } } }],
      }),
      container('a mount of nothing', { volumeMounts: [{ name: 'none', mountPath: '/a' }] }),
      container('a request above its limit', {
        resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
      }),
      container('a negative limit', { resources: { limits: { cpu: '-1' } } }),
      container('a probe without an action', { livenessProbe: {} }),
      container('a probe with two actions', {
        livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } },
      }),
      container('privileges against its will', {
        securityContext: { privileged: true, allowPrivilegeEscalation: false },
      }),
      make('a job without a restart policy', 422, jobs, {
        spec: { template: { spec: { containers } } },
      }),
      make('a job that always restarts', 422, jobs, {
        spec: { template: { spec: { containers, restartPolicy: 'Always' } } },
      }),
      make('a job with negative parallelism', 422, jobs, { spec: { ...job, parallelism: -1 } }),
      make('a job with a selector of its own', 422, jobs, {
        spec: { ...job, selector: { matchLabels: labels } },
      }),
      make('a job with a negative time to live', 422, jobs, {
        spec: { ...job, ttlSecondsAfterFinished: -1 },
      }),
      make('a job without a template', 422, jobs, { spec: {} }),
      make('a cron job with a wrong schedule', 422, of('batch/v1', 'cronjobs'), {
        spec: { schedule: 'often', jobTemplate: { spec: { template: once } } },
      }),
      make('a cron job without a schedule', 422, of('batch/v1', 'cronjobs'), {
        spec: { jobTemplate: { spec: { template: once } } },
      }),
      make('a cron job with an unknown policy', 422, of('batch/v1', 'cronjobs'), {
        spec: {
          schedule: '* * * * *',
          concurrencyPolicy: 'Odd',
          jobTemplate: { spec: { template: once } },
        },
      }),
      make('a deployment without a selector', 422, deployments, { spec: { template } }),
      make('a deployment whose selector misses', 422, deployments, {
        spec: { ...workload, selector: { matchLabels: { other: 'x' } } },
      }),
      make('a deployment with negative replicas', 422, deployments, {
        spec: { ...workload, replicas: -1 },
      }),
      make('a deployment with an unknown strategy', 422, deployments, {
        spec: { ...workload, strategy: { type: 'Odd' } },
      }),
      make('a deployment that never restarts', 422, deployments, {
        spec: {
          ...workload,
          template: { metadata: { labels }, spec: { containers, restartPolicy: 'Never' } },
        },
      }),
      make('a deployment without a spec', 422, deployments, {}),
      make('a service without ports', 422, core('services'), { spec: { selector: labels } }),
      make('a service with a wrong port', 422, core('services'), {
        spec: { ports: [{ port: 0 }] },
      }),
      make('a service of an unknown type', 422, core('services'), {
        spec: { type: 'Odd', ports: [{ port: 80 }] },
      }),
      make('a service with two unnamed ports', 422, core('services'), {
        spec: { ports: [{ port: 80 }, { port: 81 }] },
      }),
      make('a secret of a type that needs keys', 422, core('secrets'), {
        type: 'kubernetes.io/tls',
      }),
      make('a secret with a wrong key', 422, core('secrets'), { stringData: { 'a b': 'x' } }),
      make('a secret with no base64', 400, core('secrets'), { data: { a: '%' } }),
      make('a config map with a wrong key', 422, core('configmaps'), { data: { 'a b': 'x' } }),
      make('a config map with a key twice', 422, core('configmaps'), {
        data: { a: 'x' },
        binaryData: { a: 'aGk=' },
      }),
      make('a role without verbs', 422, of(rbac, 'roles'), {
        rules: [{ apiGroups: [''], resources: ['pods'] }],
      }),
      make('a role without resources', 422, of(rbac, 'roles'), {
        rules: [{ apiGroups: [''], verbs: ['get'] }],
      }),
      make('a role with paths', 422, of(rbac, 'roles'), {
        rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
      }),
      make('a binding without a role', 422, of(rbac, 'rolebindings'), { subjects: [] }),
      make('a binding to an unknown kind', 422, of(rbac, 'rolebindings'), {
        roleRef: { kind: 'Odd', name: 'x', apiGroup: 'rbac.authorization.k8s.io' },
      }),
      make('a binding of an unknown subject', 422, of(rbac, 'rolebindings'), {
        roleRef: { kind: 'Role', name: 'x' },
        subjects: [{ kind: 'Odd', name: 'y' }],
      }),
      make('a binding of an account without a namespace', 201, of(rbac, 'rolebindings'), {
        roleRef: { kind: 'Role', name: 'x' },
        subjects: [{ kind: 'ServiceAccount', name: 'y' }],
      }),
      make('a lease with a negative duration', 422, of('coordination.k8s.io/v1', 'leases'), {
        spec: { leaseDurationSeconds: -1 },
      }),
      make('a lease with a wrong time', 400, of('coordination.k8s.io/v1', 'leases'), {
        spec: { renewTime: 'now' },
      }),
      make('a claim without an access mode', 422, core('persistentvolumeclaims'), {
        spec: { resources: { requests: { storage: '1Gi' } } },
      }),
      make('a claim without storage', 422, core('persistentvolumeclaims'), {
        spec: { accessModes: ['ReadWriteOnce'] },
      }),
      make('a budget with both limits', 422, of('policy/v1', 'poddisruptionbudgets'), {
        spec: { minAvailable: 1, maxUnavailable: 1 },
      }),
      make(
        'an autoscaler without a maximum',
        422,
        of('autoscaling/v2', 'horizontalpodautoscalers'),
        { spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' } } },
      ),
      make('an ingress without rules', 422, of('networking.k8s.io/v1', 'ingresses'), { spec: {} }),
      make(
        'a network policy with a wrong block',
        422,
        of('networking.k8s.io/v1', 'networkpolicies'),
        { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: 'x' } }] }] } },
      ),
      make('a quota with a wrong resource', 422, core('resourcequotas'), {
        spec: { hard: { odd: '1' } },
      }),
      make('an event of another namespace', 422, core('events'), {
        involvedObject: { kind: 'Pod', name: 'a', namespace: 'other' },
      }),
      [
        'a priority class that is too high',
        422,
        'POST',
        dry('/apis/scheduling.k8s.io/v1/priorityclasses'),
        named('x', { value: 2_000_000_000 }),
      ],
      [
        'a cluster role binding to a role',
        422,
        'POST',
        dry(`/apis/${rbac}/clusterrolebindings`),
        named('x', { roleRef: { kind: 'Role', name: 'x' } }),
      ],
    ])
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

  describe('pods', () => {
    const volumes = [[/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>']] as const
    const pod = (name: string, spec: Fields = {}) =>
      client.send('POST', pods, {
        metadata: { name, labels: { name } },
        spec: { automountServiceAccountToken: false, containers, ...spec },
      })
    same(
      'a status may be set',
      200,
      async () => {
        expect((await pod('one')).code).toBe(201)
        return client.send(
          'PATCH',
          `${pods}/one/status`,
          { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
          { type: 'application/strategic-merge-patch+json' },
        )
      },
      volumes,
    )
    sameEach([
      [
        'an image may change',
        200,
        'PATCH',
        dry(`${pods}/one`),
        { spec: { containers: [{ name: 'a', image: 'b' }] } },
        { type: 'application/strategic-merge-patch+json' },
      ],
      [
        'a command may not change',
        422,
        'PATCH',
        dry(`${pods}/one`),
        { spec: { containers: [{ name: 'a', command: ['b'] }] } },
        { type: 'application/strategic-merge-patch+json' },
      ],
      [
        'a restart policy may not change',
        422,
        'PATCH',
        dry(`${pods}/one`),
        { spec: { restartPolicy: 'Never' } },
        merge,
      ],
      ['pods by phase', 200, 'GET', `${pods}?fieldSelector=status.phase%3DRunning`],
      ['pods by node', 200, 'GET', `${pods}?fieldSelector=spec.nodeName%3Dnone`],
      ['pods by an unknown field', 400, 'GET', `${pods}?fieldSelector=spec.odd%3Dx`],
      ['a log of a pod that is not there', 404, 'GET', `${pods}/none/log`],
      [
        'a pod that is bound',
        201,
        'POST',
        `${pods}/one/binding`,
        { metadata: { name: 'one' }, target: { kind: 'Node', name: 'somewhere' } },
      ],
      [
        'a pod that is bound twice',
        409,
        'POST',
        `${pods}/one/binding`,
        { metadata: { name: 'one' }, target: { kind: 'Node', name: 'elsewhere' } },
      ],
      [
        'a binding without a target',
        500,
        'POST',
        `${pods}/one/binding`,
        { metadata: { name: 'one' } },
      ],
    ])
    test('a pod that is bound knows its node', async () => {
      const answer = await client.get(`${pods}/one`)
      expect(valueAt(answer, 'spec.nodeName')).toBe('somewhere')
      const conditions = valueAt(answer, 'status.conditions') as { type: string; status: string }[]
      expect(conditions.find(({ type }) => type === 'PodScheduled')?.status).toBe('True')
    })
    same(
      'a pod on a node gets time to stop',
      200,
      () => client.send('DELETE', `${pods}/one`),
      volumes,
    )
    same(
      'a pod on a node goes when it is forced to',
      200,
      () => client.send('DELETE', `${pods}/one`, { gracePeriodSeconds: 0 }),
      volumes,
    )
    same('a pod without a node goes at once', 404, async () => {
      await pod('two')
      await client.send('DELETE', `${pods}/two`)
      return client.get(`${pods}/two`)
    })
    same('an eviction deletes', 201, async () => {
      await pod('three')
      return client.send('POST', `${pods}/three/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'three', namespace },
      })
    })
    same('an eviction of nothing', 404, () =>
      client.send('POST', `${pods}/none/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'none', namespace },
      }),
    )
    same('an eviction that a budget forbids', 429, async () => {
      await pod('four')
      await client.send(
        'PATCH',
        `${pods}/four/status`,
        { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
        merge,
      )
      await client.send(
        'POST',
        of('policy/v1', 'poddisruptionbudgets'),
        named('strict', { spec: { minAvailable: 1, selector: { matchLabels: { name: 'four' } } } }),
      )
      const counted = await client.send(
        'PATCH',
        of('policy/v1', 'poddisruptionbudgets/strict/status'),
        {
          status: {
            observedGeneration: 1,
            disruptionsAllowed: 0,
            currentHealthy: 1,
            desiredHealthy: 1,
            expectedPods: 1,
          },
        },
        merge,
      )
      expect(counted.code, counted.text).toBe(200)
      return client.send('POST', `${pods}/four/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'four', namespace },
      })
    })
  })

  describe('jobs', () => {
    same(
      'a template may not change',
      422,
      async () => {
        const made = await client.send('POST', jobs, named('fixed', { spec: job }))
        expect(made.code, made.text).toBe(201)
        return client.send(
          'PATCH',
          dry(`${jobs}/fixed`),
          { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } },
          merge,
        )
      },
      [[/Invalid value: \{.*\}: field/s, 'Invalid value: {…}: field']],
    )
    same('completions may not change', 422, () =>
      client.send('PATCH', dry(`${jobs}/fixed`), { spec: { completions: 5 } }, merge),
    )
    test('parallelism may change', async () => {
      const answer = await client.send(
        'PATCH',
        dry(`${jobs}/fixed`),
        { spec: { parallelism: 5 } },
        merge,
      )
      expect([answer.code, valueAt(answer, 'spec.parallelism')]).toEqual([200, 5])
    })
    test('a job selects its pods by its own uid', async () => {
      const { body } = await client.get(`${jobs}/fixed`)
      const { metadata, spec } = body as {
        metadata: { uid: string }
        spec: { selector: { matchLabels: Fields }; template: { metadata: { labels: Fields } } }
      }
      expect(spec.selector.matchLabels).toEqual({
        'batch.kubernetes.io/controller-uid': metadata.uid,
      })
      expect(spec.template.metadata.labels).toEqual({
        'batch.kubernetes.io/controller-uid': metadata.uid,
        'batch.kubernetes.io/job-name': 'fixed',
        'controller-uid': metadata.uid,
        'job-name': 'fixed',
      })
    })
    same('a deletion without a policy leaves pods alone, with a warning', 200, () =>
      client.send('DELETE', dry(`${jobs}/fixed`)),
    )
    same('a deletion in the background says nothing', 200, () =>
      client.send('DELETE', dry(`${jobs}/fixed`), { propagationPolicy: 'Background' }),
    )
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
